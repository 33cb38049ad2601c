package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import java.util.Optional;

/** What is announced on the channel; see {@link Statements}. */
sealed interface Notice {
    /** {@code c <line> <election>}: it has a new holder. */
    record Claimed(ElectionName election, long line) implements Notice {}

    /** {@code r <election>}: it is vacant. */
    record Released(ElectionName election) implements Notice {}

    /** {@code o <election>}: an operator wants something of its holder. */
    record Requested(ElectionName election) implements Notice {}

    /** {@code e }: tokens begin with another era. */
    record EraRaised() implements Notice {}

    /** Empty for what somebody else has announced there. */
    static Optional<Notice> of(String text) {
        String[] words = text.split(" ", -1);
        try {
            return switch (words[0]) {
                case "c" -> Optional.of(new Claimed(ElectionName.decode(words[2]), Long.parseLong(words[1])));
                case "r" -> Optional.of(new Released(ElectionName.decode(words[1])));
                case "o" -> Optional.of(new Requested(ElectionName.decode(words[1])));
                case "e" -> Optional.of(new EraRaised());
                default -> Optional.empty();
            };
        } catch (IllegalArgumentException | IndexOutOfBoundsException foreign) {
            return Optional.empty();
        }
    }
}
