// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** One session without an engine: renewed by the test, and able to fall silent without closing. */
final class RawSession {
    private static final FencingToken NEVER = new FencingToken(1);
    private static final Duration ASK_EVERY = Duration.ofMillis(10);
    private static final int UNDECIDED_TTLS = 4;

    private final RawClient client;
    private final BackendSession session;
    private final Recorder events;
    private final Map<Nonce, FencingToken> granted = new ConcurrentHashMap<>();
    private final AtomicInteger renewals = new AtomicInteger();
    private final CompletableFuture<Long> silent = new CompletableFuture<>();
    private volatile boolean wantsSilence;
    private long acknowledgedSentNanos;

    /** @param sentNanos when it was asked for: the store may have begun to count its TTL any time since */
    RawSession(RawClient client, BackendSession session, Recorder events, long sentNanos) {
        this.client = client;
        this.session = session;
        this.events = events;
        this.acknowledgedSentNanos = sentNanos;
    }

    RawSession keepAlive() {
        client.host().post(this::armNextRenewal);
        return this;
    }

    private void armNextRenewal() {
        long atNanos = client.host().nanos() + session.ttl().toNanos() / 4;
        client.host().wakeAt(atNanos, this::renewOnLoop);
    }

    private void renewOnLoop() {
        if (wantsSilence) {
            silent.complete(acknowledgedSentNanos);
            return;
        }
        long sentNanos = System.nanoTime();
        session.renew()
                .whenComplete((reply, failure) -> client.host().post(() -> {
                    client.fixture().renewed(sentNanos);
                    if (reply instanceof RenewReply.Renewed) {
                        acknowledgedSentNanos = sentNanos;
                        renewals.incrementAndGet();
                    }
                    armNextRenewal();
                }));
    }

    /** Stops renewing without a word, as a process does that dies. Returns when the last acknowledged renewal was sent. */
    long fallSilent() {
        wantsSilence = true;
        return client.await().reply(silent);
    }

    String id() {
        return session.id();
    }

    Duration ttl() {
        return session.ttl();
    }

    Recorder events() {
        return events;
    }

    int renewals() {
        return renewals.get();
    }

    RenewReply renew() {
        return client.ask(session::renew);
    }

    ClaimReply claim(ElectionName election, Nonce nonce) {
        return claim(request(election, nonce));
    }

    ClaimReply claim(ClaimRequest request) {
        ClaimReply reply = client.await().reply(send(request));
        if (reply instanceof ClaimReply.Granted grant) {
            granted.put(grant.nonce(), grant.token());
        }
        return reply;
    }

    CompletableFuture<ClaimReply> send(ClaimRequest request) {
        return client.send(() -> {
            long byNanos =
                    client.host().nanos() + UNDECIDED_TTLS * session.ttl().toNanos();
            return decided(request, byNanos);
        });
    }

    /** Where members elect among themselves, a claim may stand in the queue before anybody leads; then it asks again. */
    private CompletionStage<ClaimReply> decided(ClaimRequest request, long byNanos) {
        return session.claim(request).thenCompose(reply -> {
            boolean undecided = reply instanceof ClaimReply.Waiting waiting
                    && waiting.queued()
                    && waiting.holder().isEmpty();
            if (!undecided || client.host().nanos() > byNanos) {
                return CompletableFuture.completedFuture(reply);
            }
            CompletableFuture<ClaimReply> later = new CompletableFuture<>();
            client.host().post(() -> askLater(request, byNanos, later));
            return later;
        });
    }

    private void askLater(ClaimRequest request, long byNanos, CompletableFuture<ClaimReply> later) {
        client.host()
                .wakeAt(
                        client.host().nanos() + ASK_EVERY.toNanos(),
                        () -> RawClient.forward(() -> decided(request, byNanos), later));
    }

    static ClaimRequest request(ElectionName election, Nonce nonce) {
        return new ClaimRequest(election, nonce, 0, "holder", LeaderMetadata.EMPTY);
    }

    Nonce nonce() {
        return new Nonce(client.host().random(), client.host().random());
    }

    /** Takes an election that must be free. */
    ClaimReply.Granted take(ElectionName election) {
        return granted(claim(election, nonce()));
    }

    static ClaimReply.Granted granted(ClaimReply reply) {
        if (reply instanceof ClaimReply.Granted granted) {
            return granted;
        }
        throw new AssertionError("this claim should have been granted: " + reply);
    }

    static ClaimReply.Waiting waiting(ClaimReply reply) {
        if (reply instanceof ClaimReply.Waiting waiting) {
            return waiting;
        }
        throw new AssertionError("this claim should have had to wait: " + reply);
    }

    /** Asks again and again, keeping its place where there is a queue, until it is granted. */
    ClaimReply.Granted takeWhenFree(ElectionName election) {
        Nonce nonce = nonce();
        List<ClaimReply.Granted> won = new ArrayList<>();
        client.await().until("the claim of " + election + " is granted", ASK_EVERY, () -> {
            events.grantOf(nonce).ifPresent(won::add);
            if (won.isEmpty() && claim(election, nonce) instanceof ClaimReply.Granted granted) {
                won.add(granted);
            }
            return !won.isEmpty();
        });
        return won.get(0);
    }

    ReleaseReply release(ElectionName election, Nonce nonce) {
        return client.ask(() -> session.release(election, nonce));
    }

    CompletableFuture<ReleaseReply> sendRelease(ElectionName election, Nonce nonce) {
        return client.send(() -> session.release(election, nonce));
    }

    boolean holds(ElectionName election, Nonce nonce) {
        FencingToken pushed =
                events.grantOf(nonce).map(ClaimReply.Granted::token).orElse(NEVER);
        FencingToken token = granted.getOrDefault(nonce, pushed);
        return client.ask(() -> session.holds(new Term(election, token, nonce, "holder")));
    }

    void clear(OperatorRequest request) {
        client.ask(() -> session.clear(request));
    }

    void close() {
        wantsSilence = true;
        client.ask(session::close);
    }
}
