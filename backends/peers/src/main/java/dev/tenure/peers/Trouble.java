package dev.tenure.peers;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;

/** What can go wrong, in sentences that say what to do. */
final class Trouble {
    private Trouble() {}

    static BackendException unanswered(int answered) {
        return new BackendException(
                Effect.UNKNOWN,
                Kind.UNREACHABLE,
                "only " + answered + " members have answered, and that is no majority of the group");
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
}
