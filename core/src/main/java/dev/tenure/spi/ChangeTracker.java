// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A lease store that reports by one question which records have changed. With it, a process that waits in ten thousand elections
 * finds out at the price of one read whether a notification was lost.
 */
public interface ChangeTracker extends LeaseStore {
    /**
     * Which records without a time to live were written since an earlier answer. A record that is written while this is
     * answered may be reported now and must be reported next time; one that was reported may be reported again.
     *
     * @param mark of the earlier answer; empty if there is none
     */
    CompletionStage<Changes> changedSince(Optional<String> mark);

    /**
     * @param mark for the next question
     * @param keys empty if that is unknown: then any of them may have changed
     */
    record Changes(String mark, Optional<List<String>> keys) {}
}
