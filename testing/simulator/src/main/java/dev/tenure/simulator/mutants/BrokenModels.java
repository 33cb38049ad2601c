package dev.tenure.simulator.mutants;

import dev.tenure.simulator.world.StoreKind;
import java.util.List;

/**
 * Models of stores that do not keep one of their laws, one for each quirk, and an engine that does not keep up with one: if no
 * property noticed, the quirk would not be tested at all.
 */
public final class BrokenModels {
    private BrokenModels() {}

    /** @param store whose worlds show it */
    public record BrokenModel(StoreKind store, Mutant mutant) {
        @Override
        public String toString() {
            return store + ": " + mutant;
        }
    }

    public static List<BrokenModel> all() {
        return List.of(
                etcd(
                        "a lease ends before the whole seconds that were granted",
                        "EtcdLaw.java",
                        "return new Lifetime(ttlNanos, ttlNanos);",
                        "return new Lifetime(ttlNanos, ttlNanos * 4 / 5);"),
                etcd(
                        "a new leader ends leases by the renewals that it knows of",
                        "Expiries.java",
                        "all.forEach(lease -> renew(lease, law.extensionNanos()));",
                        "all.forEach(lease -> renew(lease, -lease.timeoutNanos / 2));"),
                etcd(
                        "a stalled leader revokes, and nobody declares it",
                        "SessionFate.java",
                        "                .forEach(this::revoke);",
                        "                .forEach(lease -> server.end(lease, History.NOBODY, 0));"),
                etcd(
                        "the renewal of a dead lease is believed",
                        "SessionServer.java",
                        "boolean guarded = !law.renewsTheDead() || state.leases.containsKey(asked.id);",
                        "boolean guarded = true;"),
                etcd(
                        "the token is the version of a key, not its create revision",
                        "SessionServer.java",
                        "FencingToken.of(state.era, head.revision)",
                        "FencingToken.of(state.era, 1)"),
                perClaim(Mutant.inModel(
                        "a renewal is acknowledged although one write of it failed",
                        "SessionServer.java",
                        "            throw Injected.UNREACHABLE;\n",
                        "            return lost;\n")),
                perClaim(Mutant.inCore(
                        "claims that a renewal reports as lost are kept",
                        "loop/SessionKeeper.java",
                        "renewed.lostClaims().forEach(watcher::claimLost);",
                        "")),
                perClaim(Mutant.inCore(
                        "lost claims are revoked after the deadline was published",
                        "loop/SessionKeeper.java",
                        "renewed.lostClaims().forEach(watcher::claimLost);",
                        "host.post(() -> renewed.lostClaims().forEach(watcher::claimLost));")),
                issuing(Mutant.inCore(
                        "the token is the number of the record that was read",
                        "lease/LeaseSession.java",
                        "tokens.written(draft, applied.now())",
                        "tokens.written(draft, found.isPresent() ? found : applied.now())")),
                issuing(Mutant.inCore(
                        "the token is counted from what stands in the record",
                        "lease/ClaimRecord.java",
                        "token = issued.applyAsLong((int) fields.number(\"era\", 0, FencingToken.ERA_MAX));",
                        "token = last + 1;")),
                issuing(Mutant.inCore(
                        "a release forgets to write the token out",
                        "lease/ClaimRecord.java",
                        "return new ClaimRecord(election, session, token, NO_NONCE, State.VACANT, holder,",
                        "return new ClaimRecord(election, session, 0, NO_NONCE, State.VACANT, holder,")),
                issuing(Mutant.inCore(
                        "an eviction forgets to write the token out",
                        "lease/ClaimTokens.java",
                        "claim.textToBeIssued(reached, last)",
                        "claim.textToBeIssued(reached, 0)")),
                drawing(
                        Mutant.inCore(
                                "elected without the last step",
                                "lease/LeaseSession.java",
                                "return store.issue(now, held.text(), held.token()).thenCompose(reply -> {",
                                "return CompletableFuture.<WriteReply>completedFuture(new WriteReply.Applied(now)).thenCompose(reply -> {")),
                drawing(
                        Mutant.inCore(
                                "the last step does not compare",
                                "lease/LeaseSession.java",
                                "return store.issue(now, held.text(), held.token()).thenCompose(reply -> {",
                                "return store.read(ClaimRecord.key(election))"
                                        + ".thenCompose(any -> store.issue(any, held.text(), held.token())).thenCompose(reply -> {")),
                zooKeeper(
                        "the timeout that was asked for is relied on, not the negotiated one",
                        "ZooKeeperLaw.java",
                        "return new Lifetime(ttlMillis * MILLI_NANOS, timeoutMillis * MILLI_NANOS);",
                        "return new Lifetime(wantedNanos, timeoutMillis * MILLI_NANOS);"),
                zooKeeper(
                        "sessions end with the bucket two ticks before their timeout",
                        "ZooKeeperLaw.java",
                        "return (dueNanos / tick.toNanos() + 1) * tick.toNanos();",
                        "return (dueNanos / tick.toNanos() - 2) * tick.toNanos();"),
                zooKeeper(
                        "the whole timeout is relied on, as if every touch were handed on",
                        "ZooKeeperLaw.java",
                        "long ttlMillis = (long) ((timeoutMillis - relay) / (1 + RENEWAL_INTERVAL));",
                        "long ttlMillis = timeoutMillis;"),
                zooKeeper(
                        "a renewal after a long gap is worth as much as any",
                        "Renewals.java",
                        "return relayNanosMax == 0 ? ttlNanos : Math.max",
                        "return relayNanosMax >= 0 ? ttlNanos : Math.max"),
                zooKeeper(
                        "a new leader gives sessions a quarter of their timeout",
                        "Expiries.java",
                        "all.forEach(lease -> renew(lease, law.extensionNanos()));",
                        "all.forEach(lease -> renew(lease, -lease.timeoutNanos * 3 / 4));"),
                zooKeeper(
                        "a new leader counts anew in the same epoch",
                        "ZooKeeperLaw.java",
                        "return ((revision >>> COUNTER_BITS) + 1) << COUNTER_BITS;",
                        "return revision >>> COUNTER_BITS << COUNTER_BITS;"),
                zooKeeper(
                        "the last of the queue is notified, and shown that it leads",
                        "SessionServer.java",
                        "Entry head = state.races.get(election).head();",
                        "Entry head = state.races.get(election).queue.stream().reduce((one, next) -> next).orElse(null);"),
                zooKeeper(
                        "the token is the sequence, which begins anew with its parent",
                        "SessionServer.java",
                        "FencingToken.of(state.era, head.revision)",
                        "FencingToken.of(state.era, head.sequence)"));
    }

    private static BrokenModel issuing(Mutant mutant) {
        return new BrokenModel(StoreKind.ISSUING, mutant);
    }

    private static BrokenModel drawing(Mutant mutant) {
        return new BrokenModel(StoreKind.DRAWING, mutant);
    }

    private static BrokenModel perClaim(Mutant mutant) {
        return new BrokenModel(StoreKind.PER_CLAIM, mutant);
    }

    private static BrokenModel etcd(String name, String file, String original, String replacement) {
        return new BrokenModel(StoreKind.ETCD, Mutant.inModel(name, file, original, replacement));
    }

    private static BrokenModel zooKeeper(String name, String file, String original, String replacement) {
        return new BrokenModel(StoreKind.ZOOKEEPER, Mutant.inModel(name, file, original, replacement));
    }
}
