package dev.tenure.internal.loop;

import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.NotLeadingException;
import dev.tenure.Term;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** One term as its duty sees it. The stage only ever moves forward, so what was lost stays lost. */
final class LiveLeadership implements Leadership {
    private enum Stage {
        ACTIVE,
        /** Told to stop; may still write up to the deadline. */
        ENDING,
        /** May not write any more, whatever the clock says. */
        DEAD
    }

    private final Term term;
    /** Its monitor is the lock of all terms of the session: users cannot take it, and it is held for a moment only. */
    private final SessionLease lease;

    private final Host host;
    private final Owner owner;
    // Replaced, not changed: most terms have no listener and nobody who rests, and there may be ten thousand of them.
    private List<Consumer<Loss>> listeners = List.of();
    private volatile List<Runnable> renewals = List.of();
    private Optional<Host.Signal> resting = Optional.empty();
    private Optional<Loss> loss = Optional.empty();
    private volatile Stage stage = Stage.ACTIVE;

    /** The candidate whose term this is. Called from any thread. */
    interface Owner {
        /** A fence has seen a newer token. */
        void fenced(Term term, FencingToken seen);

        /** Runs this off the loop, after what was asked for before in this election. */
        void callOnLoss(Runnable listeners);

        /** Runs this off the loop, after what was asked for before in this election. */
        void callOnRenewal(Runnable listeners);
    }

    LiveLeadership(Term term, SessionLease lease, Host host, Owner owner) {
        this.term = term;
        this.lease = lease;
        this.host = host;
        this.owner = owner;
    }

    @Override
    public Term term() {
        return term;
    }

    @Override
    public boolean isActive() {
        return stage == Stage.ACTIVE && lease.isValid();
    }

    @Override
    public boolean isValid() {
        return stage != Stage.DEAD && lease.isValid();
    }

    @Override
    public void ensureValid() {
        if (!isValid()) {
            throw new NotLeadingException("token " + term.token() + " of election " + term.election()
                    + " may not write any more: its deadline has passed or its term was ended");
        }
    }

    @Override
    public Duration remaining() {
        return stage == Stage.DEAD ? Duration.ZERO : Duration.ofNanos(lease.remainingNanos());
    }

    /** When authority ends without another renewal, on the host's monotonic clock. */
    long validUntilNanos() {
        return lease.validUntilNanos();
    }

    @Override
    public void rest(Duration duration) throws InterruptedException {
        long leftNanos = DurationText.nanos(duration);
        long endNanos = host.nanos() + leftNanos;
        // A stuck engine sends no signal, so each wait ends with the authority known at its beginning.
        while (leftNanos > 0 && isActive()) {
            if (ending().await(Math.min(leftNanos, Math.max(1, lease.remainingNanos())))) {
                return;
            }
            leftNanos = endNanos - host.nanos();
        }
    }

    /** Made by the first who rests. */
    private Host.Signal ending() {
        synchronized (lease) {
            Host.Signal ending = resting.orElseGet(host::signal);
            resting = Optional.of(ending);
            if (loss.isPresent()) {
                ending.set();
            }
            return ending;
        }
    }

    @Override
    public void onLoss(Consumer<Loss> listener) {
        Optional<Loss> already;
        synchronized (lease) {
            already = loss;
            if (already.isEmpty()) {
                listeners = with(listeners, listener);
            }
        }
        already.ifPresent(known -> owner.callOnLoss(() -> listener.accept(known)));
    }

    @Override
    public void fenced(FencingToken seen) {
        synchronized (lease) {
            stage = Stage.DEAD;
        }
        owner.fenced(term, seen);
    }

    @Override
    public void onRenewal(Runnable listener) {
        synchronized (lease) {
            renewals = with(renewals, listener);
        }
    }

    private static <T> List<T> with(List<T> list, T one) {
        List<T> longer = new ArrayList<>(list);
        longer.add(one);
        return List.copyOf(longer);
    }

    void renewed() {
        List<Runnable> told = renewals;
        if (!told.isEmpty()) {
            owner.callOnRenewal(() -> {
                if (isValid()) { // else a listener blocked until the term was over
                    told.forEach(SerialExecutor::runGuarded);
                }
            });
        }
    }

    /** The term begins to end. */
    void end(Loss why, boolean dead) {
        List<Consumer<Loss>> told;
        Optional<Host.Signal> woken;
        synchronized (lease) {
            if (dead) {
                stage = Stage.DEAD;
            } else if (stage == Stage.ACTIVE) {
                stage = Stage.ENDING;
            }
            if (loss.isPresent()) {
                return;
            }
            loss = Optional.of(why);
            told = listeners;
            listeners = List.of();
            woken = resting;
        }
        woken.ifPresent(Host.Signal::set);
        if (!told.isEmpty()) {
            owner.callOnLoss(() -> told.forEach(listener -> SerialExecutor.runGuarded(() -> listener.accept(why))));
        }
    }
}
