// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.lease;

import org.jspecify.annotations.Nullable;

/** One record as a store keeps it. */
final class Stored {
    static final long NEVER = Long.MAX_VALUE;

    final String key;
    final String version;
    final String value;
    /** On the store's clock. */
    final long expiresAtNanos;

    final long ttlNanos;
    final @Nullable ClaimText claim;

    Stored(String key, String version, String value, long ttlNanos, long expiresAtNanos) {
        this.key = key;
        this.version = version;
        this.value = value;
        this.ttlNanos = ttlNanos;
        this.expiresAtNanos = expiresAtNanos;
        this.claim = key.startsWith(LeaseServer.CLAIMS) ? ClaimText.of(value, LeaseServer.numberOf(version)) : null;
    }

    boolean isSession() {
        return key.startsWith(LeaseServer.SESSIONS);
    }

    /** The part of the key after its prefix. */
    String name() {
        return key.substring(2);
    }

    boolean isOpenSession() {
        return isSession() && value.endsWith("state=OPEN\n");
    }
}
