// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.mutants;

import dev.tenure.simulator.plan.StoreKind;
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
                        "session/EtcdRules.java",
                        "return new Lifetime(ttlNanos, ttlNanos);",
                        "return new Lifetime(ttlNanos, ttlNanos * 4 / 5);"),
                etcd(
                        "a new leader ends leases by the renewals that it knows of",
                        "session/Expiries.java",
                        "all.forEach(lease -> renew(lease, rules.extensionNanos()));",
                        "all.forEach(lease -> renew(lease, -lease.timeoutNanos / 2));"),
                etcd(
                        "a stalled leader revokes, and nobody declares it",
                        "session/SessionStoreFaults.java",
                        "                .forEach(this::revoke);",
                        "                .forEach(lease -> server.end(lease, StoreHistory.NOBODY, 0));"),
                etcd(
                        "the renewal of a dead lease is believed",
                        "session/SessionServer.java",
                        "boolean guarded = !rules.renewsTheDead() || state.leases.containsKey(asked.id);",
                        "boolean guarded = true;"),
                etcd(
                        "the token is the version of a key, not its create revision",
                        "session/SessionServer.java",
                        "FencingToken.of(state.era, head.revision)",
                        "FencingToken.of(state.era, 1)"),
                perClaim(Mutant.inModel(
                        "a renewal is acknowledged although one write of it failed",
                        "session/SessionServer.java",
                        "            throw Injected.UNREACHABLE;\n",
                        "            return lost;\n")),
                perClaim(Mutant.inCore(
                        "claims that a renewal reports as lost are kept",
                        "runtime/SessionRunner.java",
                        "renewed.lostClaims().forEach(engine::claimLost);",
                        "")),
                perClaim(Mutant.inCore(
                        "lost claims are revoked after the deadline was published",
                        "runtime/SessionRunner.java",
                        "renewed.lostClaims().forEach(engine::claimLost);",
                        "host.post(() -> renewed.lostClaims().forEach(engine::claimLost));")),
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
                        "return new ClaimRecord(election, token, NO_NONCE, State.VACANT, last);",
                        "return new ClaimRecord(election, 0, NO_NONCE, State.VACANT, last);")),
                issuing(Mutant.inCore(
                        "an eviction forgets to write the token out",
                        "lease/ClaimTokens.java",
                        "claim.textToBeIssued(reached, last)",
                        "claim.textToBeIssued(reached, 0)")),
                drawing(Mutant.inCore(
                        "elected without the last step",
                        "lease/LeaseSession.java",
                        "issue(election, now, held.text(), held.token())",
                        "CompletableFuture.<WriteReply>completedFuture(new WriteReply.Applied(now))")),
                drawing(Mutant.inCore(
                        "the last step does not compare",
                        "lease/LeaseSession.java",
                        "issue(election, now, held.text(), held.token())",
                        "store.read(ClaimRecord.key(election))"
                                + ".thenCompose(any -> issue(election, any, held.text(), held.token()))")),
                zooKeeper(
                        "the timeout that was asked for is relied on, not the negotiated one",
                        "session/ZooKeeperRules.java",
                        "return new Lifetime(ttlMillis * MILLI_NANOS, timeoutMillis * MILLI_NANOS);",
                        "return new Lifetime(wantedNanos, timeoutMillis * MILLI_NANOS);"),
                zooKeeper(
                        "sessions end with the bucket two ticks before their timeout",
                        "session/ZooKeeperRules.java",
                        "return (dueNanos / tick.toNanos() + 1) * tick.toNanos();",
                        "return (dueNanos / tick.toNanos() - 2) * tick.toNanos();"),
                zooKeeper(
                        "the whole timeout is relied on, as if every touch were handed on",
                        "session/ZooKeeperRules.java",
                        "long ttlMillis = (long) ((timeoutMillis - relay) / (1 + RENEWAL_INTERVAL));",
                        "long ttlMillis = timeoutMillis;"),
                zooKeeper(
                        "a renewal after a long gap is worth as much as any",
                        "session/Renewals.java",
                        "return touchDelayNanosMax == 0 ? ttlNanos : Math.max",
                        "return touchDelayNanosMax >= 0 ? ttlNanos : Math.max"),
                zooKeeper(
                        "a new leader gives sessions a quarter of their timeout",
                        "session/Expiries.java",
                        "all.forEach(lease -> renew(lease, rules.extensionNanos()));",
                        "all.forEach(lease -> renew(lease, -lease.timeoutNanos * 3 / 4));"),
                zooKeeper(
                        "a new leader counts anew in the same epoch",
                        "session/ZooKeeperRules.java",
                        "return ((revision >>> COUNTER_BITS) + 1) << COUNTER_BITS;",
                        "return revision >>> COUNTER_BITS << COUNTER_BITS;"),
                zooKeeper(
                        "the last of the queue is notified, and shown that it leads",
                        "session/SessionServer.java",
                        "Entry head = state.races.get(election).head();",
                        "Entry head = state.races.get(election).queue.stream().reduce((one, next) -> next).orElse(null);"),
                zooKeeper(
                        "the token is the sequence, which begins anew with its parent",
                        "session/SessionServer.java",
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
