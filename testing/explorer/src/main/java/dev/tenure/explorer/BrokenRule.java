// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer;

/** A rule that is broken on purpose, around the production code: each has to lead to a counter-example. */
public enum BrokenRule {
    /** The deadline counts from the reply and not from the sending (R2). */
    DEADLINE_FROM_REPLY,
    /** Clocks differ by more than the drift that the deadline allows for. */
    CLOCKS_BEYOND_DRIFT,
    /** The wall clock withdraws nothing. */
    WALL_CLOCK_IGNORED,
    /** A renewal that is acknowledged after the deadline brings the authority back. */
    LATE_RENEWAL_REVIVES,
    /** The answer to an earlier attempt is taken for the answer to this one. */
    STALE_REPLIES,
    /** A claim that is not answered in time counts as granted. */
    SILENCE_IS_SUCCESS,
    /** A claim that is not answered in time counts as refused, and is forgotten. */
    SILENCE_IS_FAILURE,
    /** The loss of a session is not told to the election. */
    SESSION_LOSS_UNHEARD,
    /** A term is over as soon as it begins to drain, although its duty runs on. */
    DRAIN_FORGOTTEN,
    /** The end of a term is told twice. */
    LOSS_TOLD_TWICE,
    /** The claim is released in the moment in which the duty is asked to stop. */
    RELEASE_BEFORE_STOP,
    /** An overdue claim is let go while its duty may still write. */
    RELEASE_WITHOUT_REVOKING,
    /** A term begins as soon as it is granted. */
    LEADS_BEFORE_FENCE,
    /** The resource accepts every write. */
    NO_FENCE,
    /** Nobody remembers the tokens it has seen. */
    NO_FLOOR,
    /** The store gives the next term the token of the last. */
    TOKENS_REPEAT,
    /** A record of this session under an older nonce is believed (R3). */
    OLDER_NONCE_BELIEVED,
    /** A record of somebody else is taken for the own one. */
    FOREIGN_NONCE_BELIEVED,
    /** What was superseded goes on (R4). */
    SUPERSEDED_GOES_ON,
    /** A release does not stop the claims that are still under way. */
    RELEASE_SETTLES_NOTHING,
    /** A release removes whatever claim it finds. */
    RELEASE_UNCONDITIONAL,
    /** A call that failed makes a candidacy forget its place in the queue. */
    PLACE_FORGOTTEN,
    /** A release gives up what is held, but not a place in the queue. */
    RELEASE_KEEPS_PLACE
}
