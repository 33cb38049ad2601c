/**
 * Elections as advisory locks of PostgreSQL, with a row beside each lock.
 *
 * <p>Read {@code AdvisorySession} first, then {@code SessionClaims}: it has {@code HeldElections} and {@code AwaitedElections}, and {@code
 * LockWaiter} waits for what it says. {@code ClaimSql} and {@code ElectionSql} are what is said to the server, on a {@code
 * LockConnection}; {@code HolderMonitor} looks after those who keep others waiting.
 */
@NullMarked
package dev.tenure.postgres.advisory;

import org.jspecify.annotations.NullMarked;
