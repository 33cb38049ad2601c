package dev.tenure.zookeeper.client;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
 * @param access who may touch what this process creates
 */
public record Paths(String base, String elections, Naming naming, Access access) {
    public enum Access {
        /** Anybody. */
        OPEN,
        /** The creator, and nobody else. */
        CREATOR
    }

    public static Paths below(String base, Access access) {
        return new Paths(base, child(base, "c"), Naming.ENCODED, access);
    }

    /** For the latches of peers, which stand where their owners put them. */
    public static Paths verbatim(String base, String elections, Access access) {
        return new Paths(base, elections, Naming.VERBATIM, access);
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
        return child(elections, naming.segment(election));
    }

    /** The election that a znode belongs to: the znode of the election itself, or one of its latches. */
    public Optional<ElectionName> electionAt(String path) {
        String prefix = elections.equals("/") ? "/" : elections + "/";
        if (!path.startsWith(prefix) || path.length() == prefix.length()) {
            return Optional.empty();
        }
        String below = path.substring(prefix.length());
        int slash = below.indexOf('/');
        return naming.election(slash < 0 ? below : below.substring(0, slash));
    }

    public static String child(String parent, String name) {
        return parent.equals("/") ? "/" + name : parent + "/" + name;
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

    /** How the name of an election becomes the name of a znode. */
    public enum Naming {
        /** Any name; what a path cannot hold is encoded. */
        ENCODED {
            @Override
            public String segment(ElectionName election) {
                return election.encoded();
            }

            @Override
            public Optional<ElectionName> election(String segment) {
                try {
                    return Optional.of(ElectionName.decode(segment));
                } catch (IllegalArgumentException foreign) {
                    return Optional.empty();
                }
            }
        },
        /** As it stands, so that the latches of peers can be named; only names that are one part of a path. */
        VERBATIM {
            @Override
            public String segment(ElectionName election) {
                String name = election.value();
                if (name.contains("/")
                        || name.equals(".")
                        || name.equals("..")
                        || !name.codePoints().allMatch(Naming::isPlain)) {
                    throw new BackendException(
                            Effect.NONE,
                            Kind.MISCONFIGURED,
                            "election '" + election + "' cannot be the name of a znode as it stands: with the option "
                                    + "'elections' a name is one part of a path, without slashes and special characters");
                }
                return name;
            }

            @Override
            public Optional<ElectionName> election(String segment) {
                try {
                    ElectionName election = ElectionName.of(segment);
                    return election.value().equals(segment) ? Optional.of(election) : Optional.empty();
                } catch (IllegalArgumentException notAName) {
                    return Optional.empty();
                }
            }
        };

        public abstract String segment(ElectionName election);

        public abstract Optional<ElectionName> election(String segment);

        /** What ZooKeeper takes in a path. */
        private static boolean isPlain(int codePoint) {
            return !(codePoint < ' '
                    || (codePoint >= 0x7f && codePoint <= 0x9f)
                    || (codePoint >= 0xd800 && codePoint <= 0xf8ff)
                    || codePoint >= 0xfff0);
        }
    }
}
