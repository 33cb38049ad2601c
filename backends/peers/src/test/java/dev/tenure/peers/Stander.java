// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;

/** A session without an engine that wants one election, and is renewed as an engine would. */
final class Stander implements SessionEvents, AutoCloseable {
    static final ElectionName ELECTION = ElectionName.of("sweeper");

    private final Host host = SystemHost.start("stander");
    private final BackendSession session;
    private volatile Nonce nonce;
    private final AtomicReference<Optional<ClaimReply.Granted>> granted = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<String>> end = new AtomicReference<>(Optional.empty());
    private volatile boolean closed;
    private volatile boolean changed;
    private volatile long renewedSentNanos = System.nanoTime();

    private Stander(PeersBackend door) {
        session = open(door);
        nonce = new Nonce(host.random(), host.random());
        host.post(this::renew);
    }

    private BackendSession open(PeersBackend door) {
        AtomicReference<Optional<BackendSession>> opened = new AtomicReference<>(Optional.empty());
        await().atMost(Trio.PATIENCE).until(() -> {
            try {
                opened.set(Optional.of(door.open(new SessionRequest("node", Duration.ofSeconds(1)), this)
                        .toCompletableFuture()
                        .join()));
            } catch (CompletionException noMajorityYet) {
                return false;
            }
            return true;
        });
        return opened.get().orElseThrow();
    }

    static Stander at(PeersBackend door) {
        Stander stander = new Stander(door);
        stander.claim();
        return stander;
    }

    private void claim() {
        session.claim(new ClaimRequest(ELECTION, nonce, 0, "node", LeaderMetadata.EMPTY))
                .whenComplete((reply, failure) -> {
                    if (reply instanceof ClaimReply.Granted won) {
                        granted(ELECTION, won);
                    }
                });
    }

    /** What it had is forgotten. */
    void claimAgain() {
        nonce = new Nonce(host.random(), host.random());
        claim();
    }

    private void renew() {
        if (closed) {
            return;
        }
        long sentNanos = System.nanoTime();
        session.renew().whenComplete((reply, failure) -> {
            if (reply instanceof RenewReply.Renewed && !changed) {
                renewedSentNanos = sentNanos;
            }
        });
        host.wakeAt(host.nanos() + session.ttl().toNanos() / 4, this::renew);
    }

    ClaimReply.Granted awaitGrant() {
        await().atMost(Trio.PATIENCE).until(() -> granted.get().isPresent());
        return granted.get().orElseThrow();
    }

    boolean isGranted() {
        return granted.get().isPresent();
    }

    /** As core counts it: from before the last acknowledged renewal was sent. */
    long believesUntilNanos() {
        return renewedSentNanos + session.ttl().toNanos() * 85 / 100;
    }

    boolean holds() {
        ClaimReply.Granted won = granted.get().orElseThrow();
        return session.holds(new Term(ELECTION, won.token(), nonce, "node"))
                .toCompletableFuture()
                .join();
    }

    void release() {
        session.release(ELECTION, nonce).toCompletableFuture().join();
    }

    /** Stops renewing, without a word. */
    void fallSilent() {
        closed = true;
    }

    @Override
    public void granted(ElectionName election, ClaimReply.Granted grant) {
        granted.set(Optional.of(grant));
    }

    @Override
    public void changed(ElectionName election) {
        changed = true;
    }

    @Override
    public void tokenObserved(ElectionName election, long token) {}

    @Override
    public void requested(OperatorRequest request) {}

    @Override
    public void lost(String why) {
        end.set(Optional.of(why));
    }

    @Override
    public void close() {
        closed = true;
        host.shutdown();
    }
}
