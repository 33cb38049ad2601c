package dev.tenure;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The capability handed to a duty. Every method may be called from any thread; none of them does I/O.
 *
 * <p>What is not promised: that nobody else leads in the instant after {@link #isValid()} returned true. A process can be
 * paused between the check and the write. Only a fence at the resource closes that gap; pass it {@link #token()}.
 */
public interface Leadership {
    Term term();

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

    /** Called once when the term begins to end, off the engine's thread; at once if it already has. */
    void onLoss(Consumer<Loss> listener);

    /** Called after each acknowledged renewal, in order and off the engine's thread: {@link #remaining()} has grown. */
    void onRenewal(Runnable listener);

    /** Ends the term: a resource refused its token because it has seen this newer one. For fences. */
    void fenced(FencingToken seen);

    /** A key for resources that cannot fence but can de-duplicate: the same for every retry of step n of this term. */
    default String idempotencyKey(long step) {
        return term().election().encoded() + ":" + token() + ":" + step;
    }
}
