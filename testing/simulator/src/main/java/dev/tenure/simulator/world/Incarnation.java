package dev.tenure.simulator.world;

import dev.tenure.Candidacy;
import dev.tenure.LeaderWatch;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.simulator.check.ProcessFact;
import dev.tenure.simulator.store.Injected;
import dev.tenure.simulator.store.Link;
import dev.tenure.simulator.trace.Fault;
import dev.tenure.simulator.trace.Mark;
import dev.tenure.testing.SplitMix64;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One process: from its start until it is closed or crashes. The next one on the same node is another. */
final class Incarnation implements SimHost.Keeper {
    private final World world;
    private final Node node;
    private final ProcessFact fact;
    private final SimHost host;
    private final Link link;
    private final Tenure tenure;
    private final SplitMix64 random;
    private final List<Candidature> candidatures = new ArrayList<>();
    private final long bornNanos;
    private boolean crashed;
    private boolean closing;

    Incarnation(World world, Node node, SimClock clock, SplitMix64 random) {
        this.world = world;
        this.node = node;
        this.random = random;
        this.fact = world.book().newProcess(node.name(), clock::nanos);
        this.host = new SimHost(node.name(), world.time(), clock, random.fork(), world.plan(), this);
        this.link = world.newLink(fact.number);
        this.bornNanos = world.time().nanos();
        this.tenure = Tenure.using(world.doorFor(link, host))
                .host(host)
                .node(node.name())
                .ttl(Duration.ofMillis(node.ttlMillis()))
                .standoff(world.plan().standoff)
                .open();
        world.trace().add(Mark.OPENED, fact.number, -1, 0, 0, node.name());
        tenure.onEvent(this::heard);
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
        Candidature candidature = new Candidature(world, this, election, random.fork());
        candidatures.add(candidature);
        candidature.stand();
    }

    private void watch(int election) {
        LeaderWatch watch = tenure.observe(world.nameOf(election));
        watch.onChange(change -> change.to()
                .ifPresent(leader ->
                        world.book().watched(fact, election, leader.token().value())));
    }

    private void heard(TenureEvent event) {
        int election = electionOf(event);
        long token = tokenOf(event);
        world.trace()
                .add(
                        Mark.EVENT,
                        fact.number,
                        election,
                        token,
                        event.getClass().getSimpleName().hashCode(),
                        event);
        world.book().told(fact, election, event);
        // Not when retired() completes: only here is everything told that happened before.
        if (event instanceof TenureEvent.Retired && !stands(election)) {
            Leftovers.checkRetired(world, this, election);
        }
        if (event instanceof TenureEvent.StoreTrouble trouble && world.strikes(Fault.STAND_DOWN, 8)) {
            giveUp(trouble);
        }
        if (world.strikes(Fault.LISTENER_THROWS, 4)) {
            throw new IllegalStateException("simulated: a listener fails");
        }
    }

    /** A second listener, which never returns or takes long, or closes its own client. */
    private void hang(TenureEvent event) {
        world.book().called(fact, event);
        if (world.strikes(Fault.CLOSE_AND_REOPEN, 10)) {
            close();
            return;
        }
        world.counted(Fault.LISTENER_HANGS, fact.number);
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
    void retired(Candidature candidature, Loss loss) {
        candidatures.remove(candidature);
        if (!closing && !crashed && !world.isCalm()) {
            standAgainLater(candidature.election());
        }
    }

    private void standAgainLater(int election) {
        world.time().at(world.time().nanos() + ttlNanos(), () -> host.user(() -> standAgain(election)));
    }

    private void standAgain(int election) {
        boolean left = !fact.isIn(election); // no program begins anew what it has not left
        if (!closing && !crashed && !stands(election) && left) {
            stand(election);
        } else if (!left && !world.isCalm()) {
            standAgainLater(election);
        }
    }

    private boolean stands(int election) {
        return candidatures.stream().anyMatch(each -> each.election() == election);
    }

    // ---- fate

    void crash() {
        crash("");
    }

    private void crash(String why) {
        if (!crashed) {
            resume();
            crashed = true;
            host.crash();
            link.die();
            world.book().crashed(fact);
            world.trace().add(Mark.CRASHED, fact.number, -1, 0, 0, why);
            node.ended(this);
        }
    }

    void pauseFor(long nanos) {
        if (!host.isPaused()) {
            host.pause();
            world.afterwards(nanos, this::resume);
        }
    }

    void suspendFor(long nanos) {
        if (!host.isPaused()) {
            host.suspend();
            world.book().suspended(fact, true);
            world.afterwards(nanos, this::resume);
        }
    }

    void resume() {
        if (host.isPaused()) {
            host.resume();
            world.book().suspended(fact, false);
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
        candidatures.forEach(Candidature::heal);
    }

    void cling() {
        candidatures.forEach(Candidature::cling);
    }

    /** Somebody gives up right when an outcome is unknown. */
    private void giveUp(TenureEvent.StoreTrouble trouble) {
        candidatures.stream()
                .filter(each -> trouble.doing().endsWith(" " + world.nameOf(each.election())))
                .findFirst()
                .ifPresentOrElse(this::standDown, () -> standDown(random.next()));
    }

    /** Closes one candidacy; another one is opened later. False if there is none. */
    boolean standDown(long pick) {
        if (candidatures.isEmpty()) {
            return false;
        }
        standDown(candidatures.get((int) Long.remainderUnsigned(pick, candidatures.size())));
        return true;
    }

    private void standDown(Candidature candidature) {
        world.betweenEvents(() -> {
            if (isAlive()) {
                candidature.candidacy().ifPresent(Candidacy::close);
            }
        });
    }

    /** Outside of an event, or on a thread of user code: waits in virtual time. */
    void close() {
        if (crashed || closing) {
            return;
        }
        closing = true;
        long begunNanos = world.time().nanos();
        long beforeNanos = host.nanos();
        tenure.close();
        if (host.isPaused() || host.isStuck()) {
            crash(); // whoever called close() stands still as well, and ends with the process
        }
        if (crashed) {
            return;
        }
        world.book().closed(fact);
        world.trace().add(Mark.CLOSED, fact.number, -1, 0, 0);
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
            world.book().violated("BUG", fact + ": an event on the loop failed with " + failure);
            world.explain(failure);
        }
    }

    @Override
    public void halted(String why) {
        crash(why);
    }

    /** L4: whoever stands has a wake-up, a step or a request under way, never only a watch. */
    @Override
    public void stepped() {
        world.book().stepped(fact);
        boolean idle = !host.isArmed() && link.underWay() == 0;
        if (idle && !candidatures.isEmpty() && !closing && !crashed) {
            world.book().violated("L4", fact + " stands, but nothing will ever wake it");
        }
    }

    @Override
    public long busyNanos() {
        long busyNanos = 0;
        for (Candidature each : candidatures) {
            busyNanos = Math.max(busyNanos, each.stoppingNanos());
        }
        return busyNanos;
    }

    @Override
    public void disturbed(boolean disturbed) {
        world.book().disturbed(fact, disturbed);
    }

    // ---- what it is

    Node node() {
        return node;
    }

    ProcessFact fact() {
        return fact;
    }

    SimHost host() {
        return host;
    }

    Link link() {
        return link;
    }

    Tenure tenure() {
        return tenure;
    }

    long ttlMillis() {
        return node.ttlMillis();
    }

    long ttlNanos() {
        return ttlMillis() * 1_000_000;
    }

    long bornNanos() {
        return bornNanos;
    }

    boolean isAlive() {
        return !crashed && !closing;
    }

    boolean hasCrashed() {
        return crashed;
    }

    List<Candidature> candidatures() {
        return candidatures;
    }
}
