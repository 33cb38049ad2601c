/**
 * Sessions and claims over a store that only compares and sets: one adapter for every such store. Read {@code LeaseSession}
 * first: the essay above it is what the code does, and {@code LeaseBackend} has its five rules. The other classes are one
 * question each: who is alive ({@code PeerSessions}), which token comes next ({@code ClaimTokens}), what has changed ({@code
 * ClaimChanges}, {@code RenewalReads}).
 */
@NullMarked
package dev.tenure.internal.lease;

import org.jspecify.annotations.NullMarked;
