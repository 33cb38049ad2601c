// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fakes;

import dev.tenure.spi.Host;
import dev.tenure.spi.RenewalReader;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A store in a map whose renewals read records along. What they read is not told as a call. */
public final class ReadingStore extends MemoryStore implements RenewalReader {
    public ReadingStore(Host host) {
        super(host);
    }

    @Override
    public CompletionStage<Answer> renew(Write write, Wanted wanted) {
        List<Versioned> found = new ArrayList<>();
        synchronized (this) {
            wanted.keys().forEach(key -> found.add(peek(key)));
            wanted.prefixes().forEach(prefix -> keys(prefix).forEach(key -> found.add(peek(key))));
        }
        return compareAndSet(write).thenApply(reply -> new Answer(reply, found));
    }
}
