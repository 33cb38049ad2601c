// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a session pushed, in order. Safe for any thread. */
public final class Recorder implements SessionEvents {
    private final List<ClaimReply.Granted> grants = new CopyOnWriteArrayList<>();
    private final List<ElectionName> changes = new CopyOnWriteArrayList<>();
    private final List<OperatorRequest> requests = new CopyOnWriteArrayList<>();
    private final List<String> losses = new CopyOnWriteArrayList<>();

    private final List<Long> tokens = new CopyOnWriteArrayList<>();

    /** Every token that a claim came across, in order. */
    List<Long> tokensSeen() {
        return List.copyOf(tokens);
    }

    long tokenSeenMax() {
        return tokens.stream().max(Long::compare).orElse(0L);
    }

    public Optional<ClaimReply.Granted> grantOf(Nonce nonce) {
        return grants.stream().filter(grant -> grant.nonce().equals(nonce)).findFirst();
    }

    /** Was the session woken for this election, by a grant or by a hint? */
    boolean wasWokenFor(ElectionName election) {
        return changes.contains(election) || !grants.isEmpty();
    }

    public List<ClaimReply.Granted> grants() {
        return List.copyOf(grants);
    }

    public List<ElectionName> changes() {
        return List.copyOf(changes);
    }

    public List<String> losses() {
        return List.copyOf(losses);
    }

    public List<OperatorRequest> requests() {
        return List.copyOf(requests);
    }

    /** Hints and requests of before; grants and losses stay. */
    public void forget() {
        changes.clear();
        requests.clear();
    }

    boolean isLost() {
        return !losses.isEmpty();
    }

    @Override
    public void granted(ElectionName election, ClaimReply.Granted grant) {
        grants.add(grant);
    }

    @Override
    public void changed(ElectionName election) {
        changes.add(election);
    }

    @Override
    public void tokenObserved(ElectionName election, long token) {
        tokens.add(token);
    }

    @Override
    public void requested(OperatorRequest request) {
        requests.add(request);
    }

    @Override
    public void lost(String why) {
        losses.add(why);
    }
}
