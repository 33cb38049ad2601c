// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.term;

import dev.tenure.internal.engine.Authority;
import dev.tenure.spi.Host;

/**
 * The authority that all terms of one session share: one volatile reference to an immutable snapshot, written by the loop
 * and read by any thread. A new session has a new lease, so a term of an old session can never see a newer deadline.
 */
public final class SharedAuthority {
    private final Host host;
    private volatile Authority authority;

    public SharedAuthority(Host host, Authority authority) {
        this.host = host;
        this.authority = authority;
    }

    public void publish(Authority renewed) {
        authority = renewed;
    }

    public void revoke() {
        authority = authority.revoke();
    }

    boolean isValid() {
        return authority.allows(host.nanos(), host.wallMillis());
    }

    public long remainingNanos() {
        Authority now = authority;
        long nowNanos = host.nanos();
        return now.allows(nowNanos, host.wallMillis()) ? now.validUntilNanos() - nowNanos : 0;
    }
}
