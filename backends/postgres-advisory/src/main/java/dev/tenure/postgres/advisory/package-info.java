/**
 * Elections as advisory locks of PostgreSQL, with a row beside each lock. {@code SessionClaims} has what a session holds and waits for,
 * {@code LockWaiter} waits for it on a second connection, {@code ClaimSql} and {@code ElectionSql} are what is sent to the server on a
 * {@code LockConnection}, and {@code HolderMonitor} looks after those who keep others waiting. Read {@code AdvisorySession} first, then
 * {@code SessionClaims}.
 */
@NullMarked
package dev.tenure.postgres.advisory;

import org.jspecify.annotations.NullMarked;
