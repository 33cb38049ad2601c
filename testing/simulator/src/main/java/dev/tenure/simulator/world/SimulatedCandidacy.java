// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

import dev.tenure.Campaign;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.OverduePolicy;
import dev.tenure.Standing;
import dev.tenure.simulator.check.Callback;
import dev.tenure.simulator.check.TermFact;
import dev.tenure.simulator.plan.CallbackDurations;
import dev.tenure.simulator.plan.UserCode;
import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.simulator.trace.TraceKind;
import dev.tenure.testing.SplitMix64;
import java.time.Duration;
import java.util.Optional;

/** One process standing in one election, with a user's code that does something while it leads. */
public final class SimulatedCandidacy {
    /** What kind of user code there is. */
    private enum Kind {
        /** Switched on and off; writes now and then. */
        SERVICE,
        /** Does one thing and is done. */
        ERRAND,
        /** A loop on a thread of its own. */
        LOOP
    }

    private final SimulatedWorld world;
    private final SimulatedProcess process;
    private final int election;
    private final SplitMix64 random;
    private final Kind kind;
    private final OverduePolicy overdue;
    private final TermFact.Manner manner;
    private CallbackDurations durations;
    private Optional<Candidacy> candidacy = Optional.empty();
    private boolean over;
    private Duration drain;
    private long stopNanos;
    private long clingNanos;

    SimulatedCandidacy(SimulatedWorld world, SimulatedProcess process, int election, SplitMix64 random) {
        this.world = world;
        this.process = process;
        this.election = election;
        this.random = random;
        this.drain = Duration.ofMillis(process.ttlMillis() / 5);
        long draw = random.below(100);
        long policy = random.below(10);
        UserCode userCode = world.plan().userCode;
        // A candidacy that hangs and chooses to end its process would end all other elections of that process with it.
        boolean mayHalt = !userCode.hangsIn(election);
        this.overdue = policy < 7
                ? OverduePolicy.KEEP_CLAIM
                : policy < 9 || !mayHalt ? OverduePolicy.RELEASE : OverduePolicy.HALT;
        this.manner = new TermFact.Manner(random.below(8) != 0, overdue);
        boolean loops = userCode.hangs() ? random.below(4) == 0 : world.plan().threads;
        this.kind = loops ? Kind.LOOP : draw < 8 ? Kind.ERRAND : Kind.SERVICE;
        CallbackDurations.Scale scale =
                new CallbackDurations.Scale(kind == Kind.SERVICE, process.ttlNanos(), drain.toNanos());
        this.durations = userCode.durations(election, random, scale);
        if (world.isRecovering()) {
            heal();
        }
    }

    public int election() {
        return election;
    }

    boolean isOver() {
        return over;
    }

    Standing standing() {
        return candidacy.map(Candidacy::standing).orElseGet(Standing.Standby::new);
    }

    public Optional<Candidacy> candidacy() {
        return candidacy;
    }

    /** How long its service still needs to stop, if it was told to. */
    long stoppingNanos() {
        if (stopNanos == 0) {
            return 0;
        }
        TermFact term = process.fact().current(election);
        boolean stopping =
                term != null && term.isRunning() && !term.leadership().isActive();
        return stopping ? stopNanos : 0;
    }

    /** From now on its services do not stop before their authority has ended. */
    void cling() {
        clingNanos = process.ttlNanos();
        stopNanos = clingNanos;
    }

    /** Nothing keeps it from stopping any more; only what hangs goes on to. */
    void heal() {
        clingNanos = 0;
        stopNanos = 0;
        if (!world.plan().userCode.hangsIn(election)) {
            durations = CallbackDurations.prompt();
        }
    }

    /** Runs in this callback, for as long as its durations say. */
    void spend(Callback callback) throws InterruptedException {
        long nanos = durations.nanosOf(callback);
        if (nanos == 0) {
            return;
        }
        FaultKind fault = durations.hangs() ? FaultKind.CALLBACK_HANGS : FaultKind.CALLBACK_SLOW;
        world.counts().add(fault);
        trace(callback, nanos == CallbackDurations.FOR_EVER ? "hangs" : "takes " + nanos / 1_000_000 + " ms");
        world.truth().entered(process.fact(), election, callback);
        try {
            spend(nanos);
        } finally {
            world.truth().left(process.fact(), election, callback);
            trace(callback, "returns");
        }
    }

    private void trace(Callback callback, String what) {
        int number = process.fact().number;
        world.trace().add(TraceKind.CALLBACK, number, election, 0, callback.ordinal(), callback + " " + what);
    }

    private void spend(long nanos) throws InterruptedException {
        long untilNanos = process.host().nanos() + nanos;
        boolean forEver = nanos == CallbackDurations.FOR_EVER;
        while (forEver || process.host().nanos() < untilNanos) {
            try {
                process.host()
                        .signal()
                        .await(forEver ? nanos : untilNanos - process.host().nanos());
            } catch (InterruptedException interrupt) {
                if (durations.isInterruptible()) {
                    throw interrupt;
                }
            }
        }
    }

    private void onLoss(Loss loss) {
        try {
            spend(Callback.ON_LOSS);
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    /** Drawn anew for each term: at once, within the budget, or too long. */
    private void drawStop() {
        stopNanos = clingNanos;
        long budgetNanos = drain.toNanos();
        if (world.plan().userCode.hangs()) {
            return; // its callbacks take their time themselves
        }
        if (world.occurs(FaultKind.DEACTIVATION_OVERDUE, 3)) {
            stopNanos = budgetNanos + random.below(2 * budgetNanos + 1);
        } else if (world.occurs(FaultKind.DEACTIVATION_SLOW, 3)) {
            stopNanos = random.below(budgetNanos + 1);
        }
    }

    void stand() {
        Campaign campaign = process.tenure().elect(world.nameOf(election)).onOverdue(overdue);
        if (manner.fenced()) {
            campaign = campaign.fencedBy(world.ledger(election).fenceOf(process.fact(), this::fenceFault));
        }
        boolean anyBudget = !world.plan().userCode.hangs();
        if (anyBudget && random.below(4) == 0) {
            long millis = random.below(process.ttlMillis() / 4);
            // None at all is what stores have that give no time to drain, and the edge of what is allowed.
            drain = Duration.ofMillis(millis % 4 == 0 ? 0 : millis);
            campaign = campaign.drainWithin(drain);
        }
        Candidacy standing = switch (kind) {
            case SERVICE -> campaign.run(new Service(this));
            case ERRAND -> campaign.perform(this::errand);
            case LOOP -> campaign.perform(this::loop);
        };
        candidacy = Optional.of(standing);
        standing.retired().thenAccept(this::retired);
    }

    private void retired(Loss loss) {
        over = true;
        process.retired(this, loss);
    }

    private void fenceFault() throws Exception {
        spend(Callback.RAISE);
        if (world.occurs(FaultKind.FENCE_FAILS, 4)) {
            throw new SimulatedFailure("the resource cannot be reached");
        }
    }

    TermFact begin(Leadership leadership) throws SimulatedFailure {
        TermFact term = world.truth().activated(process.fact(), election, leadership, manner);
        drawStop();
        if (world.plan().userCode.hangs()) {
            boolean service = kind == Kind.SERVICE;
            long drainNanos = drain.toNanos();
            long stopNanosMax = service ? durations.serviceStopNanos() : durations.dutyStopNanos(drainNanos);
            world.truth().stopsWithin(term, stopNanosMax, drainNanos);
            leadership.onLoss(this::onLoss);
        }
        if (world.occurs(FaultKind.ACTIVATION_FAILS, 4)) {
            world.truth().deactivated(term);
            throw new SimulatedFailure("the service cannot be switched on");
        }
        return term;
    }

    void end(TermFact term) throws SimulatedFailure {
        world.truth().deactivated(term);
        if (world.occurs(FaultKind.DEACTIVATION_FAILS, 4)) {
            throw new SimulatedFailure("the service fails while it is switched off");
        }
    }

    private void errand(Leadership leadership) throws Exception {
        TermFact term = begin(leadership);
        if (leadership.isValid()) {
            world.ledger(election).write(process.fact(), leadership.term());
        }
        end(term);
    }

    private void loop(Leadership leadership) throws Exception {
        TermFact term = begin(leadership);
        try {
            while (leadership.isActive()) {
                boolean mayWrite = leadership.isValid();
                leadership.rest(Duration.ofMillis(random.below(20)));
                if (mayWrite && manner.fenced()) {
                    world.ledger(election)
                            .write(process.fact(), leadership.term())
                            .ifPresent(leadership::fenced);
                }
                leadership.rest(Duration.ofMillis(process.ttlMillis() / 4));
                if (world.plan().userCode.hangs() && world.occurs(FaultKind.CLOSE_AND_REOPEN, 20)) {
                    world.truth().stopsWithin(term, CallbackDurations.FOR_EVER, 0);
                    process.close();
                }
            }
            // It takes its time to stop.
            if (world.plan().userCode.hangs()) {
                spend(Callback.DUTY_END);
                return;
            }
            process.host()
                    .signal()
                    .await(Duration.ofMillis(random.below(process.ttlMillis() / 2))
                            .toNanos());
        } finally {
            world.truth().deactivated(term);
        }
    }

    SimulatedProcess process() {
        return process;
    }

    SimulatedWorld world() {
        return world;
    }

    SplitMix64 random() {
        return random;
    }

    boolean isFenced() {
        return manner.fenced();
    }

    /** Would its user be told that it may act? */
    public boolean hasAuthority() {
        TermFact term = process.fact().current(election);
        return term != null && term.isRunning() && term.leadership().isValid();
    }
}
