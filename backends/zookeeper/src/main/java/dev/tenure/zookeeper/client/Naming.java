package dev.tenure.zookeeper.client;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.util.Optional;

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
