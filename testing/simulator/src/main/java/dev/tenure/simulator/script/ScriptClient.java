// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.script;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** One who acts in a script, and what it was told. Events may come on any thread. */
final class ScriptClient implements SessionEvents {
    final String name;
    private final List<ClaimReply.Granted> granted = new CopyOnWriteArrayList<>();
    private final List<String> losses = new CopyOnWriteArrayList<>();
    private Optional<BackendSession> session = Optional.empty();
    private Optional<ClaimReply.Granted> term = Optional.empty();
    private Nonce nonce = new Nonce(0, 0);
    /** Since when its time counts: its last acknowledged renewal, or a later change of the store's leader. */
    volatile long aliveNanos;

    long renewAtNanos;
    boolean renews;
    /** Its last one of its own accord; one that fails is made up for by the next. */
    CompletableFuture<Void> renewal = CompletableFuture.completedFuture(null);

    ScriptClient(String name) {
        this.name = name;
    }

    void opened(BackendSession opened, long sentNanos) {
        session = Optional.of(opened);
        aliveNanos = sentNanos;
        renewAtNanos = sentNanos + opened.ttl().toNanos() / 4;
        renews = true;
    }

    BackendSession session() {
        return session.orElseThrow();
    }

    Nonce nonce() {
        return nonce;
    }

    void claims(Nonce fresh) {
        nonce = fresh;
    }

    void leads(ClaimReply.Granted grant) {
        term = Optional.of(grant);
    }

    /** Its last grant. */
    ClaimReply.Granted term() {
        return term.orElseThrow();
    }

    Optional<ClaimReply.Granted> pushed() {
        return granted.stream().filter(grant -> grant.nonce().equals(nonce)).findFirst();
    }

    boolean isLost() {
        return !losses.isEmpty();
    }

    @Override
    public void granted(ElectionName election, ClaimReply.Granted grant) {
        granted.add(grant);
    }

    @Override
    public void changed(ElectionName election) {}

    @Override
    public void tokenObserved(ElectionName election, long token) {}

    @Override
    public void requested(OperatorRequest request) {}

    @Override
    public void lost(String why) {
        losses.add(why);
    }
}
