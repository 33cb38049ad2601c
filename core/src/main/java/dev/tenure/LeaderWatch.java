// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Observes who leads, without a candidacy and without a claim. Tokens never go back. Without a leader it is empty;
 * without contact to the store for a TTL it is unknown; it never shows a stale name.
 */
public interface LeaderWatch extends AutoCloseable {
    /** The election that is watched. */
    ElectionName election();

    /** What is known now. */
    LeaderState state();

    /** The leader, if one is known; empty if the election is vacant or nothing is known. */
    default Optional<Leader> leader() {
        return state() instanceof LeaderState.Led led ? Optional.of(led.leader()) : Optional.empty();
    }

    /** Called with the present state first, then with each change, in order, off the engine's thread. */
    void onChange(Consumer<Change> listener);

    /** Waits until somebody leads, at most this long. */
    Optional<Leader> await(Duration atMost) throws InterruptedException;

    @Override
    void close();

    /** What an observer can know. */
    sealed interface LeaderState {
        /** This leader was seen in the store less than a TTL ago. */
        record Led(Leader leader) implements LeaderState {}

        /** Nobody leads. */
        record Vacant() implements LeaderState {}

        /** The store has not answered for a TTL. */
        record Unknown() implements LeaderState {}
    }

    /**
     * One change.
     *
     * @param from the leader before, if one was known
     * @param to the leader now, if one is known
     * @param now tells a vacant election from an unknown one
     */
    record Change(Optional<Leader> from, Optional<Leader> to, LeaderState now) {}
}
