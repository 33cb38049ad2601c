// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.mutants;

import java.util.ArrayList;
import java.util.List;

/** The planted bugs that concern engine, adapter, tokens and clocks. */
@SuppressWarnings("StringConcatToTextBlock") // the snippets are matched to the letter, indentation included
public final class Mutants {
    private Mutants() {}

    public static List<Mutant> all() {
        List<Mutant> all = new ArrayList<>();
        all.addAll(clocks());
        all.addAll(sessions());
        all.addAll(elections());
        all.addAll(leases());
        all.addAll(tokens());
        all.addAll(userCode());
        return List.copyOf(all);
    }

    private static List<Mutant> clocks() {
        return List.of(
                Mutant.inCore(
                        "deadline from response",
                        "engine/SessionMachine.java",
                        "Authority.from(renewed.timing(), sent.sentNanos(), sent.sentWallMillis())",
                        "Authority.from(renewed.timing(), nowNanos, nowWallMillis)"),
                Mutant.inCore(
                        "first deadline from response",
                        "engine/SessionMachine.java",
                        "Authority.from(timing, opening.sentNanos(), opening.sentWallMillis())",
                        "Authority.from(timing, nowNanos, opening.sentWallMillis())"),
                Mutant.inCore(
                        "wall clock",
                        "engine/Authority.java",
                        "return !revoked && nowNanos - validUntilNanos < 0 && !wallRanAhead(nowNanos, nowWallMillis);",
                        "return !revoked && (nowWallMillis - originWallMillis) * 1_000_000 < validUntilNanos - originNanos;"),
                Mutant.inCore(
                        "suspend ignored", "engine/Authority.java", " && !wallRanAhead(nowNanos, nowWallMillis);", ";"),
                Mutant.inCore(
                        "no drift term",
                        "engine/Timing.java",
                        "return share(ttlNanos, 1 - DRIFT) - marginNanos;",
                        "return ttlNanos - marginNanos;"),
                Mutant.inCore(
                        "no drift term for rivals",
                        "lease/PeerSessions.java",
                        "(long) (ttlNanos * (1 + Timing.DRIFT))",
                        "ttlNanos"),
                Mutant.inCore(
                        "requested, not granted TTL",
                        "runtime/SessionRunner.java",
                        "Timing.of(opened.ttl())",
                        "Timing.of(request.ttl())"),
                Mutant.inCore(
                        "own TTL for others' lease",
                        "lease/PeerSessions.java",
                        "long ttlNanos = record.ttl().toNanos();",
                        "long ttlNanos = 8_000_000_000L;"),
                Mutant.inCore(
                        "cached leader flag",
                        "runtime/term/LeadershipHandle.java",
                        "return stage != Stage.DEAD && lease.isValid();",
                        "return stage != Stage.DEAD;"));
    }

    private static List<Mutant> sessions() {
        return List.of(
                Mutant.inCore(
                        "stale reply to a renewal accepted",
                        "engine/SessionMachine.java",
                        "return state instanceof Open open && open.beat() instanceof Beat.Sent sent"
                                + " && sent.attempt() == attempt;",
                        "return state instanceof Open open && open.beat() instanceof Beat.Sent;"),
                Mutant.inCore(
                        "timeout = success",
                        "engine/SessionMachine.java",
                        "return timedOut\n                ? renewalFailed(open, \"the store did not answer a renewal in time\", nowNanos)"
                                + "\n                : Transition.to(open);",
                        "return timedOut ? on(open, new SessionEvent.Renewed(sent.attempt(), open.timing(), true),"
                                + " nowNanos, nowWallMillis) : Transition.to(open);"),
                Mutant.inCore(
                        "exception ends the loop",
                        "runtime/SessionRunner.java",
                        "engine.troubled(\"renewing the session\", failure);",
                        "timer.cancel(); if (failure != null) { return; }"),
                Mutant.inCore(
                        "a lost session claims on",
                        "lease/LeaseSession.java",
                        "return !over && order(election).newestCall() == me;",
                        "return order(election).newestCall() == me;"));
    }

    private static List<Mutant> elections() {
        return List.of(
                Mutant.inCore(
                        "fences raised after Leading",
                        "engine/ClaimPhase.java",
                        "return rules.fenced()\n                ? Transition.to(raising, new ElectionEffect.RaiseFences(attempt, term))"
                                + "\n                : leadIfFit(raising, context);",
                        "RaisingFences early = new RaisingFences(grant, attempt, true, notBeforeNanos, raiseByNanos);\n"
                                + "        Transition<ElectionState, ElectionEffect> lead = leadIfFit(early, context);\n"
                                + "        java.util.List<ElectionEffect> effects = new java.util.ArrayList<>(lead.effects());\n"
                                + "        if (rules.fenced()) { effects.add(new ElectionEffect.RaiseFences(attempt, term)); }\n"
                                + "        return new Transition<>(lead.state(), effects);"),
                Mutant.inCore(
                        "stale reply to a claim accepted",
                        "engine/ElectionMachine.java",
                        "return claiming.attempt() == attempt;",
                        "return true;"),
                Mutant.inCore(
                        "pushed grant for any nonce accepted",
                        "engine/ElectionMachine.java",
                        "return state instanceof Claiming claiming && claiming.nonce().equals(nonce);",
                        "return state instanceof Claiming;"),
                Mutant.inCore(
                        "timeout = failure and forget",
                        "engine/ClaimPhase.java",
                        "return Transition.to(new OutcomeUnknown(\n                claiming.nonce(), untilNanos,"
                                + " claiming.attempts().unknown(claiming.nonce())));",
                        "return Transition.to(new BackOff(untilNanos, ClaimAttempts.NONE));"),
                Mutant.inCore(
                        "no fallback poll",
                        "runtime/PeriodicChecks.java",
                        "poll = host.wakeAt(host.nanos() + everyNanos + jitterNanos, () -> engine.guard(this::onPoll));",
                        "poll = () -> {};"),
                Mutant.inCore(
                        "release before the duty has ended",
                        "engine/TermPhase.java",
                        "return drain(leading, wanted.loss(), drain, context);",
                        "return afterDuty(leading.grant(), wanted.loss(), end.thenAfter(wanted.loss(), context), context);"),
                Mutant.inCore(
                        "overdue in the instant in which it is told",
                        "engine/TermPhase.java",
                        "withGrain(budget(context), context);",
                        "budget(context);"),
                Mutant.inCore(
                        "a failed release is not sent again",
                        "engine/TermPhase.java",
                        "if (event instanceof ElectionEvent.Released || event instanceof ElectionEvent.SessionLost) {\n"
                                + "            return end.then(",
                        "if (event instanceof ElectionEvent.Released || event instanceof ElectionEvent.SessionLost"
                                + " || event instanceof ElectionEvent.ReleaseFailed) {\n            return end.then("),
                Mutant.inCore(
                        "authority stays after RELEASE",
                        "engine/TermPhase.java",
                        "new ElectionEffect.RevokeAuthority(draining.loss()),\n                new ElectionEffect.SendRelease(",
                        "new ElectionEffect.SendRelease("),
                Mutant.inCore(
                        "a claim that is gone is never noticed",
                        "runtime/PeriodicChecks.java",
                        "if (!holds && ",
                        "if (false && "));
    }

    private static List<Mutant> leases() {
        return List.of(
                Mutant.inCore(
                        "no eviction (R1)",
                        "lease/PeerSessions.java",
                        "return store.set(silent.stored, evicted.text(), evicted.ttl()).thenCompose(reply -> {",
                        "return CompletableFuture.<WriteReply>completedFuture(new WriteReply.Applied(silent.stored))"
                                + ".thenCompose(reply -> {"),
                Mutant.inCore(
                        "unconditional release",
                        "lease/LeaseSession.java",
                        "boolean mine = claim.filter(stands -> isOf(stands, election, nonce)).isPresent();",
                        "boolean mine = claim.isPresent();"),
                Mutant.inCore(
                        "blind retry of a claim",
                        "lease/LeaseSession.java",
                        "return decide(request, me, ((WriteReply.Refused) reply).current(), rounds - 1);",
                        "return take(request, me, ((WriteReply.Refused) reply).current(), before, rounds - 1);"),
                Mutant.inCore(
                        "an evicted session renews on",
                        "lease/OwnSession.java",
                        "if (now.state() == SessionRecord.State.EVICTED) {",
                        "if (false) {"),
                Mutant.inCore(
                        "a session that is gone claims on",
                        "lease/LeaseSession.java",
                        "record.stands().handle(",
                        "CompletableFuture.<Void>completedFuture(null).handle("),
                Mutant.inCore(
                        "claims are taken from the living",
                        "lease/LeaseSession.java",
                        "if (verdict instanceof PeerSessions.Verdict.Alive alive) {",
                        "if (rounds == 0 && verdict instanceof PeerSessions.Verdict.Alive alive) {"));
    }

    private static List<Mutant> tokens() {
        return List.of(
                Mutant.inCore(
                        "no floor",
                        "engine/ClaimPhase.java",
                        "if (reply.token().value() <= event.floor()) {",
                        "if (false) {"),
                Mutant.inCore(
                        "tokens are counted without the clock",
                        "lease/ClaimTokens.java",
                        "return new FencingToken(Math.max(above + 1, byClock));",
                        "return new FencingToken(above + 1);"),
                Mutant.inTestKit(
                        "equal token accepted with another nonce",
                        "InMemoryFence.java",
                        "(token.equals(seen.token()) && term.nonce().equals(seen.nonce()))",
                        "token.equals(seen.token())"),
                Mutant.inTestKit(
                        "a fence that does not remember",
                        "InMemoryFence.java",
                        "            newest = term;\n",
                        "            newest = seen == null ? term : seen;\n"));
    }

    private static List<Mutant> userCode() {
        return List.of(
                Mutant.inCore(
                        "services are stopped where others are started",
                        "runtime/term/TermTask.java",
                        "host.runFinalCallback(",
                        "host.runCallback("),
                Mutant.inCore(
                        "all listeners share one queue",
                        "runtime/events/EventStream.java",
                        "listeners.add(added);",
                        "listeners.add(new Subscription(listener, details, log.queue()));"),
                Mutant.inCore(
                        "a blocked listener is told after close",
                        "runtime/events/SerialExecutor.java",
                        "left = waiting.size();\n            waiting.clear();\n",
                        "left = waiting.size();\n"),
                Mutant.inCore(
                        "loss listeners of one election side by side",
                        "runtime/CandidacyRunner.java",
                        "engine.lossCalls.run(election(), listeners);",
                        "host().runFinalCallback(listeners);"),
                Mutant.inCore(
                        "retired() waits for a duty that hangs",
                        "../Tenure.java",
                        "late.forEach(CandidacyHandle::giveUp);",
                        ""));
    }
}
