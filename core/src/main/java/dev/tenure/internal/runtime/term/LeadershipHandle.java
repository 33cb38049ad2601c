// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.term;

import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.NotLeadingException;
import dev.tenure.Term;
import dev.tenure.internal.runtime.events.SerialExecutor;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** One term as its duty sees it. The stage only ever moves forward, so what was lost stays lost. */
public final class LeadershipHandle implements Leadership {
    private enum Stage {
        ACTIVE,
        /** Notified to stop; may still write up to the deadline. */
        ENDING,
        /** May not write any more, whatever the clock says. */
        DEAD
    }

    private final Term term;
    /** Its monitor is the lock of all terms of the session: users cannot take it, and it is held for a moment only. */
    private final SharedAuthority lease;

    final Host host;
    final Owner owner;
    private final Host.Signal ending;
    private final List<Consumer<Loss>> listeners = new ArrayList<>(0);
    private final List<Runnable> renewals = new CopyOnWriteArrayList<>();
    private Optional<Loss> loss = Optional.empty();
    private volatile Stage stage = Stage.ACTIVE;

    /** The candidate whose term this is. Called from any thread. */
    public interface Owner {
        /** Nothing of the term runs any more. Called once. */
        void ended(Term term, Loss result);

        /** A fence has seen a newer token. */
        void fenced(Term term, FencingToken seen);

        /** Runs this off the loop, after what was asked for before in this election. */
        void callOnLoss(Runnable listeners);

        /** Runs this off the loop, after what was asked for before in this election. */
        void callOnRenewal(Runnable listeners);
    }

    public LeadershipHandle(Term term, SharedAuthority lease, Host host, Owner owner) {
        this.term = term;
        this.lease = lease;
        this.host = host;
        this.owner = owner;
        this.ending = host.signal();
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
        Objects.requireNonNull(listener, "listener is null: pass what is to be told of the end of the term");
        Optional<Loss> already;
        synchronized (lease) {
            already = loss;
            if (already.isEmpty()) {
                listeners.add(listener);
            }
        }
        already.ifPresent(known -> owner.callOnLoss(() -> listener.accept(known)));
    }

    @Override
    public void fenced(FencingToken seen) {
        Objects.requireNonNull(seen, "seen is null: pass the token that the resource has seen");
        synchronized (lease) {
            stage = Stage.DEAD;
        }
        owner.fenced(term, seen);
    }

    @Override
    public void onRenewal(Runnable listener) {
        renewals.add(Objects.requireNonNull(listener, "listener is null: pass what is to be told of renewals"));
    }

    public void renewed() {
        if (!renewals.isEmpty()) {
            owner.callOnRenewal(() -> {
                if (isValid()) { // else a listener blocked until the term was over
                    renewals.forEach(SerialExecutor::runGuarded);
                }
            });
        }
    }

    /** The term begins to end. */
    public void end(Loss why, boolean dead) {
        List<Consumer<Loss>> told;
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
            told = List.copyOf(listeners);
            listeners.clear();
        }
        ending.set();
        if (!told.isEmpty()) {
            owner.callOnLoss(() -> told.forEach(listener -> SerialExecutor.runGuarded(() -> listener.accept(why))));
        }
    }
}
