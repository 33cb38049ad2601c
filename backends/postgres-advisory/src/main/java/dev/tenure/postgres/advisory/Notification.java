// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import java.util.Optional;

/** What is announced of elections, on the channel of their table. */
sealed interface Notification {
    /** {@code c <connection> <election>}: it has a new holder. */
    record Claimed(ElectionName election, long connectionKey) implements Notification {}

    /** {@code r <election>}: it is vacant. */
    record Released(ElectionName election) implements Notification {}

    /** {@code o <election>}: an operator wants something of its holder. */
    record Requested(ElectionName election) implements Notification {}

    /** {@code e }: tokens begin with another era. */
    record EraRaised() implements Notification {}

    /** Empty for what somebody else has announced there. */
    static Optional<Notification> of(String text) {
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
