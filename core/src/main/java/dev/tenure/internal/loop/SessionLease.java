package dev.tenure.internal.loop;

import dev.tenure.internal.engine.Authority;
import dev.tenure.spi.Host;

/**
 * The authority that all terms of one session share: one volatile reference to an immutable snapshot, written by the loop
 * and read by any thread. A new session has a new lease, so a term of an old session can never see a newer deadline.
 */
final class SessionLease {
    private final Host host;
    private volatile Authority authority;

    SessionLease(Host host, Authority authority) {
        this.host = host;
        this.authority = authority;
    }

    void publish(Authority renewed) {
        authority = renewed;
    }

    void revoke() {
        authority = authority.revoke();
    }

    boolean isValid() {
        return authority.allows(host.nanos(), host.wallMillis());
    }

    long remainingNanos() {
        Authority now = authority;
        long nowNanos = host.nanos();
        return now.allows(nowNanos, host.wallMillis()) ? now.validUntilNanos() - nowNanos : 0;
    }

    long validUntilNanos() {
        return authority.validUntilNanos();
    }
}
