// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.candidate.CandidateProcess;
import dev.tenure.faults.fault.FaultContext;
import dev.tenure.faults.ledger.LedgerChecks.Breach;
import dev.tenure.faults.ledger.LedgerEvent;
import dev.tenure.faults.ledger.LedgerHistory;
import dev.tenure.faults.ledger.TermBelief;
import dev.tenure.faults.network.Links;
import dev.tenure.faults.store.Grants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** The scene of one round after the other. */
final class LiveFaultContext implements FaultContext {
    /** The machine may be busy; what is measured is printed, and only what can be no accident is a violation. */
    private static final int BOUNDS = 3;

    private static final Duration SLACK = Duration.ofSeconds(20);
    private static final Duration LOOK_EVERY = Duration.ofMillis(2);
    /** The request of the second was sent after the first was acknowledged, so surely after the question was asked. */
    private static final int RENEWALS_IN_TOUCH = 2;

    private static final double RENEWAL_INTERVAL = 0.25;

    private final CandidateGroup group;
    private final LedgerHistory history;
    private final Duration ttl;
    private final Random random;
    private final List<Breach> breaches = new ArrayList<>();
    private Duration patience = SLACK;
    private long beganNanos = System.nanoTime();
    private long injectedNanos = beganNanos;
    private OptionalLong succeededNanos = OptionalLong.empty();
    private OptionalLong clockAheadSinceNanos = OptionalLong.empty();
    private boolean inOrder;

    LiveFaultContext(CandidateGroup group, Duration ttl, Random random) {
        this.group = group;
        this.history = group.ledger().history();
        this.ttl = ttl;
        this.random = random;
    }

    /** One leads, the others stand, and the next fault comes at no particular moment. */
    void prepare(Duration bound) throws InterruptedException {
        patience = bound.multipliedBy(BOUNDS).plus(SLACK);
        if (!inOrder) {
            awaitOrder();
        }
        inOrder = false;
        letPass(Duration.ofNanos((long) (random.nextDouble() * ttl.toNanos() * RENEWAL_INTERVAL)));
        beganNanos = System.nanoTime();
        injectedNanos = beganNanos;
        succeededNanos = OptionalLong.empty();
    }

    /** All stand, and one of them leads and is in touch with the store. */
    void awaitOrder() throws InterruptedException {
        await("all candidates stand", group::allStand);
        awaitLeaderInTouch();
        inOrder = true;
    }

    OptionalLong clockAheadSinceNanos() {
        return clockAheadSinceNanos;
    }

    List<Breach> breaches() {
        return breaches;
    }

    long beganNanos() {
        return beganNanos;
    }

    /** How long there was no leader, as far as the writes tell. */
    Duration leaderless(List<LedgerEvent> events) {
        if (succeededNanos.isPresent()) {
            return Duration.ofNanos(succeededNanos.getAsLong() - injectedNanos);
        }
        long longestNanos = 0;
        long lastNanos = injectedNanos;
        for (LedgerEvent event : events) {
            if (FaultCampaign.isAcceptedWrite(event) && event.nanos() - injectedNanos > 0) {
                longestNanos = Math.max(longestNanos, event.nanos() - lastNanos);
                lastNanos = event.nanos();
            }
        }
        return Duration.ofNanos(longestNanos);
    }

    @Override
    public Duration ttl() {
        return ttl;
    }

    @Override
    public TermBelief leader() {
        return history.writer().orElseThrow(() -> new NoLeaderException("nobody leads"));
    }

    @Override
    public CandidateProcess process(TermBelief of) {
        return group.process(of.node());
    }

    @Override
    public Links links(TermBelief of) {
        return group.links(of.node());
    }

    @Override
    public void kill(TermBelief of) throws InterruptedException {
        long beforeNanos = System.nanoTime();
        process(of).kill();
        if (group.store().grants() == Grants.END_WITH_CONNECTIONS) {
            history.died(of.node(), beforeNanos);
        }
    }

    @Override
    public void restart(TermBelief killed) {
        history.forget(killed.node());
        process(killed).startAgain();
    }

    @Override
    public void faultBegins() {
        injectedNanos = System.nanoTime();
    }

    @Override
    public void clockGoesAhead() {
        if (clockAheadSinceNanos.isEmpty()) {
            clockAheadSinceNanos = OptionalLong.of(System.nanoTime());
        }
    }

    @Override
    public void breach(Deed deed) throws Exception {
        long beforeNanos = System.nanoTime();
        deed.run();
        breaches.add(new Breach(beforeNanos, System.nanoTime()));
    }

    @Override
    public void awaitSuccessor(TermBelief of) throws InterruptedException {
        await("another term than that of " + of.node() + " (token " + of.token() + ")", () -> {
            Optional<TermBelief> writer = history.writer().filter(now -> now.token() > of.token());
            return writer.isPresent();
        });
        succeededNanos = OptionalLong.of(System.nanoTime());
    }

    @Override
    public void awaitDisbelief(TermBelief of) throws InterruptedException {
        await(
                of.node() + " to stop believing",
                () -> history.beliefs().stream().noneMatch(belief -> belief.token() == of.token() && belief.isOpen()));
    }

    @Override
    public void awaitLeaderInTouch() throws InterruptedException {
        long sinceNanos = System.nanoTime();
        await(
                "a leader in touch with the store",
                () -> history.writer()
                        .filter(TermBelief::isOpen)
                        .filter(writer -> history.hasAcceptedWriteSince(writer, sinceNanos))
                        .filter(writer -> history.renewalsSince(writer, sinceNanos) >= RENEWALS_IN_TOUCH)
                        .isPresent());
    }

    private void await(String what, BooleanSupplier condition) throws InterruptedException {
        long byNanos = System.nanoTime() + patience.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - byNanos > 0) {
                throw new NoLeaderException("waited " + patience.toSeconds() + " s in vain for " + what);
            }
            Thread.sleep(LOOK_EVERY.toMillis());
        }
    }

    @Override
    public void letPass(Duration time) throws InterruptedException {
        Thread.sleep(time.toMillis());
    }

    @Override
    public boolean tossesACoin() {
        return random.nextBoolean();
    }
}
