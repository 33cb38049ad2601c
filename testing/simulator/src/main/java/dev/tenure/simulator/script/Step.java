package dev.tenure.simulator.script;

import java.time.Duration;

/** One line of a script. Everybody stands in the same election, and renews in time unless it has vanished. */
public sealed interface Step {
    /** Opens a session. Seen: the TTL that was granted. */
    record Open(String who, Duration ttl) implements Step {}

    /** Claims with a new nonce. Seen: granted or waiting, behind whom. */
    record Claim(String who) implements Step {}

    /** Waits for a pushed grant. Seen: that the token grows, and how the one before ended. */
    record AwaitGrant(String who) implements Step {}

    /**
     * Waits for a pushed grant after somebody has vanished. Seen: as above; not before the time of the one who vanished was
     * up, counted from its last acknowledged renewal or a later change of the store's leader; and within the bound.
     */
    record AwaitTakeover(String who, String from, Duration within) implements Step {}

    record Holds(String who) implements Step {}

    record Renew(String who) implements Step {}

    record Release(String who) implements Step {}

    record Close(String who) implements Step {}

    /** An operator ends the session. */
    record Revoke(String who) implements Step {}

    /** Waits until the session was told that it is lost. */
    record AwaitLoss(String who) implements Step {}

    /** Sends nothing any more, not even renewals. */
    record Vanish(String who) implements Step {}

    record LetPass(Duration time) implements Step {}

    /** Seen: that another server leads in the end. */
    record ChangeLeader() implements Step {}

    /** Seen: nothing; what follows must not notice. */
    record RemoveElection() implements Step {}
}
