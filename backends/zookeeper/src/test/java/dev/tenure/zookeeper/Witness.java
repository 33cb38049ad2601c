// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Candidacy;
import dev.tenure.Standing;
import dev.tenure.Term;
import dev.tenure.zookeeper.claim.ParticipantOrder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at a candidate and at the store, again and again: whoever leads one term before the look and after it must have had a latch
 * with the nonce of that term in between.
 */
final class Witness implements AutoCloseable {
    private final Candidacy candidate;
    private final String path;
    private final AtomicLong proved = new AtomicLong();
    private final CompletableFuture<Void> watching;
    private volatile boolean over;

    /** @param path the znode of the election */
    Witness(Candidacy candidate, String path) {
        this.candidate = candidate;
        this.path = path;
        this.watching = CompletableFuture.runAsync(this::watch);
    }

    private void watch() {
        try (Operator operator = new Operator()) {
            while (!over) {
                Optional<Term> before = led();
                List<String> latches = operator.latches(path);
                if (before.isPresent() && led().equals(before)) {
                    assertThat(latches)
                            .as("the latch of %s", before.get())
                            .anyMatch(name ->
                                    ParticipantOrder.isOf(name, before.get().nonce()));
                    proved.incrementAndGet();
                }
                LockSupport.parkNanos(200_000);
            }
        } catch (Exception failure) {
            throw new AssertionError("the store cannot be looked at", failure);
        }
    }

    private Optional<Term> led() {
        return candidate.standing() instanceof Standing.Leading leading
                ? Optional.of(leading.term())
                : Optional.empty();
    }

    /** Ends the watch. */
    void assertNeverLedWithoutLatch() {
        over = true;
        watching.join();
        assertThat(proved).as("looks at one who led").hasPositiveValue();
    }

    @Override
    public void close() {
        over = true;
    }
}
