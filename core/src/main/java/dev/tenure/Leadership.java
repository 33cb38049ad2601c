// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The capability handed to a duty. Every method may be called from any thread; none of them does I/O.
 *
 * <p>What is not promised: that nobody else leads in the instant after {@link #isValid()} returned true. A process can be
 * paused between the check and the write. Only a fence at the resource closes that gap; pass it {@link #token()}.
 */
public interface Leadership {
    /** The term that this leadership is of. */
    Term term();

    /** The token of the term, for resources that compare it. */
    default FencingToken token() {
        return term().token();
    }

    /** Keep looping? False as soon as the term begins to end. */
    boolean isActive();

    /**
     * May I still write? Computed at the call from one snapshot and two clocks, right even if every engine thread is
     * stuck. True while leading and while draining, up to the deadline; false at once when the session is lost, the store's
     * record carries another term, or a fence refused the token.
     */
    boolean isValid();

    /** @throws NotLeadingException if not {@link #isValid()} */
    void ensureValid();

    /** How long {@link #isValid()} stays true without another renewal; zero when it is false. */
    Duration remaining();

    /** Waits, but returns early when the term begins to end. */
    void rest(Duration duration) throws InterruptedException;

    /**
     * Called once when the term begins to end, off the engine's thread; at once if it already has. One listener of an election runs at a
     * time: a listener that blocks delays those behind it, also of later terms, and nobody else.
     */
    void onLoss(Consumer<Loss> listener);

    /**
     * Called after an acknowledged renewal, off the engine's thread: {@link #remaining()} has grown. Renewals that come while it is
     * still running are notified by one more call.
     */
    void onRenewal(Runnable listener);

    /** Ends the term: a resource refused its token because it has seen this newer one. For fences. */
    void fenced(FencingToken seen);

    /**
     * A key for resources that cannot fence but can de-duplicate: the same for every retry of step n of this term. The next
     * term has another one, so its leader does the step again. See {@link #idempotencyKeyAcrossTerms} for a step that is to
     * happen once.
     */
    default String idempotencyKey(long step) {
        return term().election().encoded() + ":" + token() + ":" + step;
    }

    /**
     * A key that is the same for a step in every term of this election: for what is to happen once, no matter which
     * candidate leads, such as a message or a step of a migration. No two steps share one, nor do an election's two kinds of
     * keys.
     *
     * <p>What is not promised: that the newest leader is the one whose request counts. The resource takes the first request
     * with the key, also if it comes from a stale leader, and whatever it contains. It must remember the key for as long as
     * a request may be late. A step that happens every day needs the day in its name.
     *
     * @param step what is to happen once, such as the id of a message
     * @throws IllegalArgumentException if the step is empty, or has no UTF-8 form
     */
    default String idempotencyKeyAcrossTerms(String step) {
        Objects.requireNonNull(step, "step is null: name what is to happen once, such as a message id");
        if (step.isEmpty()) {
            throw new IllegalArgumentException("step is empty: name what is to happen once, such as a message id");
        }
        if (!Text.isWellFormed(step)) {
            throw new IllegalArgumentException(
                    "step '" + Text.printable(step, 40) + "' contains half of a surrogate pair");
        }
        return term().election().encoded() + ":" + ElectionName.encode(step);
    }
}
