package dev.tenure.jdbc.advisory;

import java.time.Duration;

/** Who claims: a session, with the TTL that the server was told. */
record Member(String session, Duration ttl, LockKeys keys) {}
