// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store;

import dev.tenure.spi.BackendException;
import dev.tenure.testing.VirtualTime;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way to the store and its answer on the way back: the same object is the event of both arrivals.
 *
 * @param <T> the answer
 */
public abstract class Call<T> extends VirtualTime.Event {
    private enum Stage {
        TO_STORE,
        SLOWED,
        TO_CALLER,
        OVER
    }

    private final SimulatedLink link;
    private final boolean writes;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private Stage stage = Stage.TO_STORE;
    private boolean applies = true;
    private boolean answers = true;
    private long backNanos;
    private long servedNanos;
    private @Nullable T result;
    private @Nullable Throwable failure;
    /** Where the link keeps it while it is under way. */
    int slot = -1;

    protected Call(SimulatedLink link, boolean writes) {
        this.link = link;
        this.writes = writes;
    }

    /** What the store does with it. */
    protected abstract T apply();

    /** For the trace: which operation, on what. */
    protected abstract long code();

    /** The caller is about to see this answer. */
    protected void delivered(T reply) {}

    /** When the store did what the answer tells of. */
    protected final long servedNanos() {
        return servedNanos;
    }

    boolean writes() {
        return writes;
    }

    CompletableFuture<T> answer() {
        return answer;
    }

    void withoutEffect() {
        applies = false;
    }

    void withoutAnswer() {
        answers = false;
    }

    void answeredWith(Throwable instead) {
        failure = instead;
    }

    void go(long thereNanos, long back) {
        backNanos = back;
        link.time().schedule(link.time().nanos() + thereNanos, this);
    }

    /** Fails at the caller now, whatever becomes of it at the store. */
    void failNow(Throwable why) {
        answers = false;
        link.forget(this);
        answer.completeExceptionally(why);
    }

    /** The same message once more: the store does it again, and nobody hears of it. */
    void applyAgain() {
        if (!link.health().isSilent() && link.health().refusal(writes) == null) {
            link.applying(this);
            T before = result;
            serve();
            result = before;
        }
    }

    /** A store may also refuse; that is an answer like any other. */
    private void serve() {
        try {
            result = apply();
        } catch (BackendException refused) {
            failure = failure == null ? refused : failure;
        }
    }

    @Override
    protected void happen() {
        if (stage == Stage.TO_CALLER) {
            stage = Stage.OVER;
            arriveBack();
        } else if (link.holdsBack(this)) {
            return;
        } else if (stage == Stage.TO_STORE && link.health().isSlow()) {
            stage = Stage.SLOWED;
            link.time().schedule(link.time().nanos() + link.faults().delayNanos(1), this);
        } else {
            arriveAtStore();
        }
    }

    private void arriveAtStore() {
        StoreHealth health = link.health();
        if (health.isSilent()) {
            stage = Stage.OVER;
            link.forget(this);
            return;
        }
        Throwable refusal = health.refusal(writes);
        if (refusal != null) {
            failure = refusal;
        } else if (applies) {
            link.applying(this);
            serve();
            servedNanos = link.time().nanos();
        }
        if (!answers || link.isCutFrom() || link.isDead()) {
            stage = Stage.OVER;
            link.forget(this);
            return;
        }
        stage = Stage.TO_CALLER;
        link.time().schedule(link.time().nanos() + backNanos + link.repliesLateNanos(), this);
    }

    private void arriveBack() {
        link.forget(this);
        Throwable failed = failure;
        T reply = result;
        if (!answers || link.isDead()) {
            return;
        }
        if (failed != null || reply == null) {
            answer.completeExceptionally(failed == null ? Injected.UNREACHABLE : failed);
        } else {
            link.answering(this);
            delivered(reply);
            answer.complete(reply);
        }
    }
}
