// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fakes;

import dev.tenure.spi.ChangeTracker;
import dev.tenure.spi.Host;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A store in a map that can tell what has changed. Such a call is told as {@code changed}. */
public final class TrackingStore extends MemoryStore implements ChangeTracker {
    private boolean forgetful;

    public TrackingStore(Host host) {
        super(host);
    }

    /** From now on it cannot tell. */
    public synchronized void forgetsChanges() {
        forgetful = true;
    }

    @Override
    public CompletionStage<Changes> changedSince(Optional<String> mark) {
        return answer("changed", () -> {
            Optional<List<String>> keys = forgetful
                    ? Optional.empty()
                    : Optional.of(writtenSince(mark.map(Long::parseLong).orElse(0L)));
            return new Changes(Long.toString(newestVersion()), keys);
        });
    }
}
