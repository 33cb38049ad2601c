// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.Pruned;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Makes the session door out of a store that only compares and sets: one session record per process, renewed by one write
 * for all its claims, and one claim record per election. Loop-confined: call it on the loop only.
 *
 * <p>Five rules, each found necessary by a randomized model:
 *
 * <ul>
 *   <li>R1 evict the silent session before taking its claim ({@link PeerSessions});
 *   <li>R2 the deadline counts from the moment the renewal was sent (the engine);
 *   <li>R3 a record that names my session under an older nonce is claimed again with a higher token, never believed;
 *   <li>R4 one outstanding mutation per election; what was superseded goes no further ({@link LeaseSession});
 *   <li>R5 no claim before the session is open (the engine holds no session object before).
 * </ul>
 */
public final class LeaseBackend implements Backend {
    private static final int ATTEMPTS_MAX = 5;
    private static final int SWEPT_MAX = 100;

    private final LeaseStore raw;
    private final LoopStore store;
    private final ClaimTokens tokens;
    private final Host host;
    private final PeerSessions peers;
    private final Set<String> own = new HashSet<>();
    /** The highest token of each election that a look has come across, whatever became of the look: none below it is led. */
    private final Map<ElectionName, Long> seen = new HashMap<>();

    public LeaseBackend(LeaseStore store, Host host) {
        this.raw = store;
        this.store = new LoopStore(store, host);
        this.tokens = new ClaimTokens(store, host);
        this.host = host;
        this.peers = new PeerSessions(this.store, host);
    }

    @Override
    public BackendTraits traits() {
        return raw.traits();
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        String id = new Nonce(host.random(), host.random()).toString();
        SessionRecord record = SessionRecord.first(id, request.node(), request.ttl());
        Versioned nothing = Versioned.absent(SessionRecord.key(id), 0);
        return era().thenCompose(era -> store.set(nothing, record.text(), record.ttl())
                .thenApply(reply -> {
                    if (reply instanceof WriteReply.Applied applied) {
                        own.add(id);
                        sweep();
                        LeaseSession.Context context = new LeaseSession.Context(store, tokens, host, peers, own, seen);
                        return new LeaseSession(context, record, applied.now(), era, events);
                    }
                    throw BackendException.corrupt("session id " + id + " is taken already");
                }));
    }

    /**
     * Removes what dead sessions left behind. A missing session counts as dead, and removing the very version that was
     * judged silent refuses its later renewals just as an eviction does, so this is safe at any time. Sessions of this very
     * process are closed by the code that knows whether their duties have stopped.
     */
    private void sweep() {
        Stages.ignore("removing dead sessions", store.list(SessionRecord.PREFIX).thenAccept(sessions -> {
            Map<String, PeerSessions.Verdict> verdicts = peers.judgeAll(sessions);
            sessions.stream()
                    .filter(session -> isDead(session, verdicts))
                    .limit(SWEPT_MAX)
                    .forEach(dead -> Stages.ignore("removing a dead session", store.delete(dead)));
        }));
    }

    /** One that cannot be read is not ours to remove; a caller that needs this very record learns of it. */
    private boolean isDead(Versioned session, Map<String, PeerSessions.Verdict> verdicts) {
        String id = SessionRecord.idOf(session);
        return verdicts.containsKey(id) && !own.contains(id) && !isAlive(verdicts, id);
    }

    private static boolean isAlive(Map<String, PeerSessions.Verdict> verdicts, String id) {
        return verdicts.get(id) instanceof PeerSessions.Verdict.Alive;
    }

    @Override
    public CompletableFuture<Observation> read(ElectionName election) {
        return store.read(ClaimRecord.key(election)).thenCompose(stored -> {
            if (!stored.isPresent()) {
                return CompletableFuture.completedFuture(new Observation(election, Optional.empty(), 0));
            }
            ClaimRecord claim = tokens.read(stored);
            if (claim.isVacant()) {
                return CompletableFuture.completedFuture(observation(claim, false));
            }
            seen.merge(election, claim.token(), Math::max);
            return peers.look(claim.session())
                    .thenApply(verdict -> observation(claim, verdict instanceof PeerSessions.Verdict.Alive));
        });
    }

    @Override
    public CompletableFuture<List<Observation>> list() {
        return store.list(ClaimRecord.PREFIX)
                .thenCompose(claims -> store.list(SessionRecord.PREFIX).thenApply(sessions -> {
                    Map<String, PeerSessions.Verdict> verdicts = peers.judgeAll(sessions);
                    List<Observation> all = new ArrayList<>();
                    for (Versioned stored : claims) {
                        ClaimRecord claim = tokens.read(stored);
                        all.add(observation(claim, isAlive(verdicts, claim.session())));
                    }
                    return all;
                }));
    }

    private static Observation observation(ClaimRecord claim, boolean sessionAlive) {
        Optional<Leader> leader = sessionAlive ? claim.leader() : Optional.empty();
        return new Observation(claim.election(), leader, claim.token());
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        return raw.watch(
                ClaimRecord.PREFIX, key -> electionOf(key, ClaimRecord.PREFIX).ifPresent(changed));
    }

    /** A key that is no election's is somebody else's, and no reason to fail a watch. */
    static Optional<ElectionName> electionOf(String key, String prefix) {
        try {
            return Optional.of(ElectionName.decode(key.substring(prefix.length())));
        } catch (IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }

    @Override
    public CompletableFuture<Void> request(OperatorRequest request) {
        return store.read(RequestRecord.key(request.election()))
                .thenCompose(stored -> leave(request, stored, ATTEMPTS_MAX));
    }

    /** The last word counts: whatever stands there (an older request, or its removal) is replaced. */
    private CompletableFuture<Void> leave(OperatorRequest request, Versioned stored, int attempts) {
        return store.set(stored, RequestRecord.text(request)).thenCompose(reply -> {
            if (reply instanceof WriteReply.Applied) {
                return CompletableFuture.completedFuture(null);
            }
            if (attempts > 1) {
                return leave(request, ((WriteReply.Refused) reply).current(), attempts - 1);
            }
            throw BackendException.unreachable(
                    "requests for " + request.election() + " keep coming in between; try again");
        });
    }

    @Override
    public CompletableFuture<StoreEra> era() {
        return store.read(EraRecord.KEY).thenCompose(stored -> {
            if (stored.isPresent()) {
                return CompletableFuture.completedFuture(EraRecord.of(stored));
            }
            StoreEra fresh = EraRecord.fresh(host);
            return store.set(stored, EraRecord.text(fresh))
                    .thenApply(reply -> reply instanceof WriteReply.Refused refused
                                    && refused.current().isPresent()
                            ? EraRecord.of(refused.current())
                            : fresh);
        });
    }

    @Override
    public CompletableFuture<StoreEra> raiseEra(int atLeast) {
        return EraRecord.raise(
                atLeast,
                () -> era().thenCompose(known -> store.read(EraRecord.KEY)),
                EraRecord::of,
                (stored, raised) ->
                        store.set(stored, EraRecord.text(raised)).thenApply(WriteReply.Applied.class::isInstance));
    }

    /** @param progress notified now and then how far it has come; nothing is removed without it */
    public CompletableFuture<Pruned> prune(Duration olderThan, Optional<Consumer<Pruned>> progress) {
        return era().thenCompose(era -> store.list(ClaimRecord.PREFIX).thenCompose(claims -> {
            Pruner pruner = new Pruner(store, era, olderThan);
            Pruned found = pruner.look(claims, tokens);
            return progress.map(told -> pruner.remove(0, told))
                    .orElseGet(() -> CompletableFuture.completedFuture(found));
        }));
    }

    @Override
    public void close() {
        raw.close();
    }
}
