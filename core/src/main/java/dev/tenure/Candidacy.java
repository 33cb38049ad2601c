// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** One process standing in one election: a live handle, safe for any thread. */
public interface Candidacy extends AutoCloseable {
    /** The election that this process stands in. */
    ElectionName election();

    /** Where this candidacy stands now: a snapshot, which may be over when the caller looks at it. */
    Standing standing();

    /** Does it lead now? To guard a write, ask {@link Leadership#isValid()}, or better a fence. */
    default boolean isLeading() {
        return standing() instanceof Standing.Leading;
    }

    /** The term that is led or drained now. */
    default Optional<Term> term() {
        if (standing() instanceof Standing.Leading leading) {
            return Optional.of(leading.term());
        }
        if (standing() instanceof Standing.Draining draining) {
            return Optional.of(draining.term());
        }
        return Optional.empty();
    }

    /**
     * Steps down if leading, lets others go first, then stands again: as soon as one of them leads, and if none does when each has
     * asked once. That takes one and a half TTLs at most, because one of them may have missed the notification.
     */
    void resign(String why);

    /**
     * Completes, never exceptionally, when this candidacy will not lead again: its duty completed, it was closed, or its client was. A
     * client that is closed does not wait for a duty for ever, so the duty may still run when it completes with {@code Closed}.
     */
    CompletionStage<Loss> retired();

    /** Waits until this candidacy leads, at most this long. */
    boolean awaitLeading(Duration atMost) throws InterruptedException;

    /** Drains if leading, releases, retires. Returns when that is done or its bound has passed; never throws. */
    @Override
    void close();
}
