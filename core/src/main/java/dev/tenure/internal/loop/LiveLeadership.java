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
import java.util.concurrent.CopyOnWriteArrayList;
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
    private final SessionLease lease;
    private final Host host;
    private final Host.Signal ending;
    private final Consumer<FencingToken> onFenced;
    private final List<Consumer<Loss>> listeners = new ArrayList<>();
    private final List<Runnable> renewals = new CopyOnWriteArrayList<>();
    private Optional<Loss> loss = Optional.empty();
    private volatile Stage stage = Stage.ACTIVE;

    LiveLeadership(Term term, SessionLease lease, Host host, Consumer<FencingToken> onFenced) {
        this.term = term;
        this.lease = lease;
        this.host = host;
        this.ending = host.signal();
        this.onFenced = onFenced;
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
            if (ending.await(Math.min(leftNanos, Math.max(1, lease.remainingNanos())))) {
                return;
            }
            leftNanos = endNanos - host.nanos();
        }
    }

    @Override
    public void onLoss(Consumer<Loss> listener) {
        Optional<Loss> already;
        synchronized (listeners) {
            already = loss;
            if (already.isEmpty()) {
                listeners.add(listener);
            }
        }
        already.ifPresent(known -> host.call(() -> listener.accept(known)));
    }

    @Override
    public void fenced(FencingToken seen) {
        synchronized (listeners) {
            stage = Stage.DEAD;
        }
        onFenced.accept(seen);
    }

    @Override
    public void onRenewal(Runnable listener) {
        renewals.add(listener);
    }

    /** @param inOrder runs calls off the loop, one after the other */
    void renewed(Consumer<Runnable> inOrder) {
        renewals.forEach(inOrder);
    }

    /** The term begins to end. */
    void end(Loss why, boolean dead) {
        List<Consumer<Loss>> told;
        synchronized (listeners) {
            if (dead) {
                stage = Stage.DEAD;
            } else if (stage == Stage.ACTIVE) {
                stage = Stage.ENDING;
            }
            if (loss.isPresent()) {
                return;
            }
            loss = Optional.of(why);
            told = List.copyOf(listeners);
            listeners.clear();
        }
        ending.set();
        told.forEach(listener -> host.call(() -> listener.accept(why)));
    }
}
