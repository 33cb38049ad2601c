package dev.tenure.spi;

import java.util.List;

/** The certain outcomes of a conditional write. */
public sealed interface WriteReply {
    /**
     * @param now the record as written; absent after a deletion
     * @param beside what {@link Write#beside} asked for, all of it in any order, or nothing
     */
    record Applied(Versioned now, List<Versioned> beside) implements WriteReply {
        public Applied {
            beside = List.copyOf(beside);
        }

        public Applied(Versioned now) {
            this(now, List.of());
        }
    }

    /** @param current what stands there instead */
    record Refused(Versioned current) implements WriteReply {}
}
