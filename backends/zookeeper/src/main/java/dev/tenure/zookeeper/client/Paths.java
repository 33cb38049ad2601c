// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.client;

import dev.tenure.ElectionName;
import dev.tenure.spi.support.StoreUrl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.common.PathUtils;

/**
 * Where everything is. Only latches stand below the znode of an election, because Curator takes every child for a
 * participant; so the store's own records have places beside the elections.
 *
 * <pre>
 *   base/e                        store id and era
 *   base/o/election               an operator's request
 *   base/c/election               the newest term
 *   base/c/election/_c_…-latch-…  participants
 * </pre>
 *
 * @param base of the store's own records
 * @param elections the parent of the elections
 * @param verbatim true if elections are named as they stand, so that the latches of peers can be named: only names that are one part of a
 *     path. Else any name; what a path cannot hold is encoded
 * @param access who may touch what this process creates
 */
public record Paths(String base, String elections, boolean verbatim, Access access) {
    public enum Access {
        /** Anybody. */
        OPEN,
        /** The creator, and nobody else. */
        CREATOR
    }

    public static Paths below(String base, Access access) {
        return new Paths(base, child(base, "c"), false, access);
    }

    /** For the latches of peers, which stand where their owners put them. */
    public static Paths verbatim(String base, String elections, Access access) {
        return new Paths(base, elections, true, access);
    }

    public String era() {
        return child(base, "e");
    }

    public String requests() {
        return child(base, "o");
    }

    public String request(ElectionName election) {
        return child(requests(), election.encoded());
    }

    public String election(ElectionName election) {
        return child(elections, segment(election));
    }

    /** The election that a znode belongs to: the znode of the election itself, or one of its latches. */
    public Optional<ElectionName> electionAt(String path) {
        String prefix = elections + "/";
        return path.startsWith(prefix)
                ? electionNamed(path.substring(prefix.length()).split("/", 2)[0])
                : Optional.empty();
    }

    public static String child(String parent, String name) {
        return parent + "/" + name;
    }

    public static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Every path above this one, the highest first, without the root. */
    public static List<String> above(String path) {
        List<String> parents = new ArrayList<>();
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            parents.add(path.substring(0, slash));
        }
        return parents;
    }

    /** The name of an election as the name of a znode. */
    private String segment(ElectionName election) {
        String name = election.value();
        if (!verbatim) {
            return election.encoded();
        }
        try {
            PathUtils.validatePath("/" + name);
            if (!name.contains("/")) {
                return name;
            }
        } catch (IllegalArgumentException special) {
            // refused below
        }
        throw StoreUrl.refused(
                "election '" + election + "' cannot be the name of a znode as it stands: with the option "
                        + "'elections' a name is one part of a path, without slashes and special characters");
    }

    /** Empty if no election can have this znode. */
    public Optional<ElectionName> electionNamed(String segment) {
        try {
            ElectionName election = verbatim ? ElectionName.of(segment) : ElectionName.decode(segment);
            return Optional.of(election).filter(one -> !verbatim || one.value().equals(segment));
        } catch (IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }
}
