package dev.tenure.spi;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A lease store that tells by one question which records have changed. With it, a process that waits in ten thousand elections
 * finds out at the price of one read whether a notification was lost.
 */
public interface ChangeTracker extends LeaseStore {
    /**
     * Which records without a time to live were written since an earlier answer. A record that is written while this is
     * answered may be told now and must be told next time; one that was told may be told again.
     *
     * @param mark of the earlier answer; empty if there is none
     */
    CompletionStage<Changes> changedSince(Optional<String> mark);

    /**
     * @param mark for the next question
     * @param keys empty if it cannot be told: then any of them may have changed
     */
    record Changes(String mark, Optional<List<String>> keys) {}
}
