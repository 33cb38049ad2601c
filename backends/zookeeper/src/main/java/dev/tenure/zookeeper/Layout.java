package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where everything is. Below the znode of an election stand latches and nothing else, because Curator takes every child for
 * a participant; so the store's own records have places beside the elections.
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
 */
record Layout(String base, String elections, Naming naming) {
    static Layout below(String base) {
        return new Layout(base, child(base, "c"), Naming.ENCODED);
    }

    /** For the latches of peers, which stand where their owners put them. */
    static Layout verbatim(String base, String elections) {
        return new Layout(base, elections, Naming.VERBATIM);
    }

    String era() {
        return child(base, "e");
    }

    String requests() {
        return child(base, "o");
    }

    String request(ElectionName election) {
        return child(requests(), election.encoded());
    }

    String election(ElectionName election) {
        return child(elections, naming.segment(election));
    }

    /** The election that a znode belongs to: its own, or one of its latches. */
    Optional<ElectionName> electionAt(String path) {
        String prefix = elections.equals("/") ? "/" : elections + "/";
        if (!path.startsWith(prefix) || path.length() == prefix.length()) {
            return Optional.empty();
        }
        String below = path.substring(prefix.length());
        int slash = below.indexOf('/');
        return naming.election(slash < 0 ? below : below.substring(0, slash));
    }

    static String child(String parent, String name) {
        return parent.equals("/") ? "/" + name : parent + "/" + name;
    }

    static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The path right above this one, which is not the root. */
    static String parent(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }

    /** Every path above this one, the highest first, without the root. */
    static List<String> above(String path) {
        List<String> parents = new ArrayList<>();
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            parents.add(path.substring(0, slash));
        }
        return parents;
    }
}
