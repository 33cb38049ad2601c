// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

import dev.tenure.Candidacy;
import dev.tenure.LeaderWatch;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.simulator.check.ProcessFact;
import dev.tenure.simulator.host.SimClock;
import dev.tenure.simulator.host.SimHost;
import dev.tenure.simulator.store.Injected;
import dev.tenure.simulator.store.SimulatedLink;
import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.simulator.trace.TraceKind;
import dev.tenure.testing.SplitMix64;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One process: from its start until it is closed or crashes. The next one on the same node is another. */
public final class SimulatedProcess implements SimHost.Keeper {
    private final SimulatedWorld world;
    private final SimulatedNode node;
    private final ProcessFact fact;
    private final SimHost host;
    private final SimulatedLink link;
    private final Tenure tenure;
    private final SplitMix64 random;
    private final List<SimulatedCandidacy> candidacys = new ArrayList<>();
    private final long bornNanos;
    private boolean crashed;
    private boolean closing;

    SimulatedProcess(SimulatedWorld world, SimulatedNode node, SimClock clock, SplitMix64 random) {
        this.world = world;
        this.node = node;
        this.random = random;
        this.fact = world.truth().newProcess(node.name(), clock::nanos);
        this.host = new SimHost(node.name(), world.time(), clock, random.fork(), world.plan(), this);
        this.link = world.newLink(fact.number);
        this.bornNanos = world.time().nanos();
        this.tenure = Tenure.using(world.bindingFor(link, host))
                .host(host)
                .node(node.name())
                .ttl(Duration.ofMillis(node.ttlMillis()))
                .standoff(world.plan().standoff)
                .open();
        world.trace().add(TraceKind.OPENED, fact.number, -1, 0, 0, node.name());
        tenure.onEvent(this::onEvent);
        if (world.plan().userCode.hangs() && random.below(2) == 0) {
            tenure.onEvent(this::hang);
        }
    }

    /** Stands in every election, or in most of them, and sometimes only watches. */
    void stand() {
        for (int election = 0; election < world.plan().elections; election++) {
            if (random.below(8) != 0 || world.plan().nodes == 2) {
                stand(election);
            }
            if (random.below(6) == 0) {
                watch(election);
            }
        }
    }

    private void stand(int election) {
        SimulatedCandidacy candidacy = new SimulatedCandidacy(world, this, election, random.fork());
        candidacys.add(candidacy);
        candidacy.stand();
    }

    private void watch(int election) {
        LeaderWatch watch = tenure.observe(world.nameOf(election));
        watch.onChange(change -> change.to()
                .ifPresent(leader ->
                        world.truth().watched(fact, election, leader.token().value())));
    }

    private void onEvent(TenureEvent event) {
        int election = electionOf(event);
        long token = tokenOf(event);
        world.trace()
                .add(
                        TraceKind.EVENT,
                        fact.number,
                        election,
                        token,
                        event.getClass().getSimpleName().hashCode(),
                        event);
        world.truth().onEvent(fact, election, event);
        // Not when retired() completes: only here is everything told that happened before.
        if (event instanceof TenureEvent.Retired && !stands(election)) {
            LeftoverCheck.checkRetired(world, this, election);
        }
        if (event instanceof TenureEvent.StoreError trouble && world.occurs(FaultKind.STAND_DOWN, 8)) {
            giveUp(trouble);
        }
        if (world.occurs(FaultKind.LISTENER_THROWS, 4)) {
            throw new IllegalStateException("simulated: a listener fails");
        }
    }

    /** A second listener, which never returns or takes long, or closes its own client. */
    private void hang(TenureEvent event) {
        world.truth().called(fact, event);
        if (world.occurs(FaultKind.CLOSE_AND_REOPEN, 10)) {
            close();
            return;
        }
        world.counted(FaultKind.LISTENER_HANGS, fact.number);
        try {
            host.signal().await(random.below(2) == 0 ? Long.MAX_VALUE : ttlNanos() * (1 + random.below(10)));
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private int electionOf(TenureEvent event) {
        if (event instanceof TenureEvent.Elected elected) {
            return world.electionOf(elected.term().election());
        }
        if (event instanceof TenureEvent.Lost lost) {
            return world.electionOf(lost.term().election());
        }
        if (event instanceof TenureEvent.DrainBegan began) {
            return world.electionOf(began.term().election());
        }
        if (event instanceof TenureEvent.DrainOverdue overdue) {
            return world.electionOf(overdue.term().election());
        }
        if (event instanceof TenureEvent.ClaimAbandoned abandoned) {
            return world.electionOf(abandoned.term().election());
        }
        return event instanceof TenureEvent.Retired retired ? world.electionOf(retired.election()) : -1;
    }

    private static long tokenOf(TenureEvent event) {
        if (event instanceof TenureEvent.Elected elected) {
            return elected.term().token().value();
        }
        return event instanceof TenureEvent.Lost lost ? lost.term().token().value() : 0;
    }

    /** A candidacy that has retired is opened anew after a while, as another run of the same program would. */
    void retired(SimulatedCandidacy candidacy, Loss loss) {
        candidacys.remove(candidacy);
        if (!closing && !crashed && !world.isRecovering()) {
            standAgainLater(candidacy.election());
        }
    }

    private void standAgainLater(int election) {
        world.time().at(world.time().nanos() + ttlNanos(), () -> host.user(() -> standAgain(election)));
    }

    private void standAgain(int election) {
        boolean left = !fact.isIn(election); // no program begins anew what it has not left
        if (!closing && !crashed && !stands(election) && left) {
            stand(election);
        } else if (!left && !world.isRecovering()) {
            standAgainLater(election);
        }
    }

    private boolean stands(int election) {
        return candidacys.stream().anyMatch(each -> each.election() == election);
    }

    // ---- fate

    public void crash() {
        crash("");
    }

    private void crash(String why) {
        if (!crashed) {
            resume();
            crashed = true;
            host.crash();
            link.die();
            world.truth().crashed(fact);
            world.trace().add(TraceKind.CRASHED, fact.number, -1, 0, 0, why);
            node.ended(this);
        }
    }

    public void pauseFor(long nanos) {
        if (!host.isPaused()) {
            host.pause();
            world.afterwards(nanos, this::resume);
        }
    }

    public void suspendFor(long nanos) {
        if (!host.isPaused()) {
            host.suspend();
            world.truth().suspended(fact, true);
            world.afterwards(nanos, this::resume);
        }
    }

    void resume() {
        if (host.isPaused()) {
            host.resume();
            world.truth().suspended(fact, false);
        }
    }

    /** Whatever ails it is over. */
    void heal() {
        resume();
        host.unstick();
        host.callLate(0);
        host.wakeLate(0);
        host.raiseLate(0);
        link.heal();
        candidacys.forEach(SimulatedCandidacy::heal);
    }

    public void cling() {
        candidacys.forEach(SimulatedCandidacy::cling);
    }

    /** Somebody gives up right when an outcome is unknown. */
    private void giveUp(TenureEvent.StoreError trouble) {
        candidacys.stream()
                .filter(each -> trouble.doing().endsWith(" " + world.nameOf(each.election())))
                .findFirst()
                .ifPresentOrElse(this::standDown, () -> standDown(random.next()));
    }

    /** Closes one candidacy; another one is opened later. False if there is none. */
    public boolean standDown(long pick) {
        if (candidacys.isEmpty()) {
            return false;
        }
        standDown(candidacys.get((int) Long.remainderUnsigned(pick, candidacys.size())));
        return true;
    }

    private void standDown(SimulatedCandidacy candidacy) {
        world.betweenEvents(() -> {
            if (isAlive()) {
                candidacy.candidacy().ifPresent(Candidacy::close);
            }
        });
    }

    /** Outside of an event, or on a thread of user code: waits in virtual time. */
    public void close() {
        if (crashed || closing) {
            return;
        }
        closing = true;
        long begunNanos = world.time().nanos();
        long beforeNanos = host.nanos();
        tenure.close();
        if (host.isPaused() || host.isStuck()) {
            crash(); // the thread that called close() stands still as well, and ends with the process
        }
        if (crashed) {
            return;
        }
        world.truth().closed(fact);
        world.trace().add(TraceKind.CLOSED, fact.number, -1, 0, 0);
        // User code that closes its own client stands still with its process.
        boolean excused = world.plan().userCode.hangs() && fact.wasDisturbedSince(begunNanos);
        if (!excused) {
            BoundedClose.check(world, this, host.nanos() - beforeNanos);
        }
        world.afterwards(ttlNanos(), () -> BoundedClose.checkRetired(world, this));
        node.ended(this);
    }

    /** Frees its threads, if its duties had any. */
    void dispose() {
        host.close();
    }

    // ---- SimHost.Keeper

    @Override
    public void failed(Throwable failure) {
        if (!Injected.is(failure)) {
            world.truth().violated("BUG", fact + ": an event on the loop failed with " + failure);
            world.explain(failure);
        }
    }

    @Override
    public void halted(String why) {
        crash(why);
    }

    /** L4: a candidate that stands has a wake-up, a step or a request under way, never only a watch. */
    @Override
    public void stepped() {
        world.truth().stepped(fact);
        boolean idle = !host.isArmed() && link.underWay() == 0;
        if (idle && !candidacys.isEmpty() && !closing && !crashed) {
            world.truth().violated("L4", fact + " stands, but nothing will ever wake it");
        }
    }

    @Override
    public long busyNanos() {
        long busyNanos = 0;
        for (SimulatedCandidacy each : candidacys) {
            busyNanos = Math.max(busyNanos, each.stoppingNanos());
        }
        return busyNanos;
    }

    @Override
    public void disturbed(boolean disturbed) {
        world.truth().disturbed(fact, disturbed);
    }

    // ---- what it is

    public SimulatedNode node() {
        return node;
    }

    public ProcessFact fact() {
        return fact;
    }

    public SimHost host() {
        return host;
    }

    public SimulatedLink link() {
        return link;
    }

    public Tenure tenure() {
        return tenure;
    }

    public long ttlMillis() {
        return node.ttlMillis();
    }

    public long ttlNanos() {
        return ttlMillis() * 1_000_000;
    }

    long bornNanos() {
        return bornNanos;
    }

    public boolean isAlive() {
        return !crashed && !closing;
    }

    boolean hasCrashed() {
        return crashed;
    }

    public List<SimulatedCandidacy> candidacys() {
        return candidacys;
    }
}
