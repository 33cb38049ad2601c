// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.script;

import java.time.Duration;

/** One line of a script. Everybody stands in the same election, and renews in time unless it has vanished. */
public sealed interface ScriptStep {
    /** Opens a session. Seen: the TTL that was granted. */
    record Open(String who, Duration ttl) implements ScriptStep {}

    /** Claims with a new nonce. Seen: granted or waiting, behind whom. */
    record Claim(String who) implements ScriptStep {}

    /** Waits for a pushed grant. Seen: that the token grows, and how the one before ended. */
    record AwaitGrant(String who) implements ScriptStep {}

    /**
     * Waits for a pushed grant after somebody has vanished. Seen: as above; not before the time of the one who vanished was
     * up, counted from its last acknowledged renewal or a later change of the store's leader; and within the bound.
     */
    record AwaitTakeover(String who, String from, Duration within) implements ScriptStep {}

    record Holds(String who) implements ScriptStep {}

    record Renew(String who) implements ScriptStep {}

    record Release(String who) implements ScriptStep {}

    record Close(String who) implements ScriptStep {}

    /** An operator ends the session. */
    record Revoke(String who) implements ScriptStep {}

    /** Waits until the session was told that it is lost. */
    record AwaitLoss(String who) implements ScriptStep {}

    /** Sends nothing any more, not even renewals. */
    record Vanish(String who) implements ScriptStep {}

    record LetPass(Duration time) implements ScriptStep {}

    /** Seen: that another server leads in the end. */
    record ChangeLeader() implements ScriptStep {}

    /** Seen: nothing; what follows must not notice. */
    record RemoveElection() implements ScriptStep {}
}
