package dev.tenure.peers;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;

/** What can go wrong, in sentences that say what to do. */
final class Trouble {
    private Trouble() {}

    /** @param who cannot be reached, and why */
    static BackendException noMajority(String who) {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, "no majority of the group can be reached: " + who);
    }

    static BackendException superseded() {
        return new BackendException(
                Effect.NONE, Kind.UNREACHABLE, "a later call of this session has taken the place of this claim");
    }

    /** What was asked may have been done by some. */
    static BackendException unanswered(String who) {
        return new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, who);
    }

    static BackendException refused(String sentence) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, sentence);
    }

    static BackendException refused(String sentence, Throwable cause) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, sentence, cause);
    }
}
