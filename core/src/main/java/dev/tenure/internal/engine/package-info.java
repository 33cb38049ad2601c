/**
 * The pure machines of session and election: no clock, no thread, no I/O, no chance inside. Read {@code ElectionMachine} first,
 * whose comment is its table; {@code ClaimPhase}, {@code TermPhase} and {@code ReleaseSteps} are the rows. {@code SessionMachine}
 * keeps the session alive, and {@code Timing} has every duration that follows from a TTL.
 */
@NullMarked
package dev.tenure.internal.engine;

import org.jspecify.annotations.NullMarked;
