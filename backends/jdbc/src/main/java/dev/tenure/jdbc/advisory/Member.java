package dev.tenure.jdbc.advisory;

import java.time.Duration;

/**
 * Who claims: a session, with the TTL that the server was told.
 *
 * @param storeId the store in which it was opened: another one, or none, means that this one was wiped
 * @param locksMax more would take from others, and from its own heartbeat, what a server has for all of them
 */
record Member(String session, String storeId, Duration ttl, LockKeys keys, int locksMax) {}
