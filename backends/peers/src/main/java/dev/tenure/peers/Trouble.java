package dev.tenure.peers;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.util.concurrent.CompletionException;

/** What can go wrong, in sentences that say what to do. */
final class Trouble {
    private Trouble() {}

    /** Too few have answered in time. Whoever asked knows more: who could not be reached, and why. */
    static final class Unanswered extends BackendException {
        private static final long serialVersionUID = 1L;
        private final int answered;

        Unanswered(int answered) {
            super(Effect.UNKNOWN, Kind.UNREACHABLE, "too few members have answered in time: " + answered);
            this.answered = answered;
        }
    }

    /** @param missing who cannot be reached, and why */
    static RuntimeException explained(Throwable failure, int majority, String missing) {
        Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
        if (cause instanceof Unanswered few) {
            String sentence = few.answered < majority
                    ? "no majority of the group can be reached: "
                    : "not all members of the group can be reached: ";
            return new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, sentence + missing, few);
        }
        return cause instanceof RuntimeException other ? other : new CompletionException(cause);
    }

    static BackendException closed() {
        return new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, "this member has been closed");
    }

    static BackendException superseded() {
        return new BackendException(
                Effect.NONE, Kind.UNREACHABLE, "a later call of this session has taken the place of this claim");
    }

    static BackendException noMajority(String who) {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, "no majority of the group can be reached: " + who);
    }

    static BackendException refused(String sentence) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, sentence);
    }

    static BackendException refused(String sentence, Throwable cause) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, sentence, cause);
    }
}
