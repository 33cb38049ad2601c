// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import dev.tenure.spi.support.RecordCodec;
import java.time.Duration;

/** A session as etcd knows it. */
public record GrantedLease(long id, Duration ttl, String node) {
    public static final String ENDED = "etcd does not know its lease any more: it expired, or was revoked";

    private static final double CALL_SHARE_OF_TTL = 0.15;

    /** After this long the engine has given a call up; its answer may still be worth having. */
    public Duration callTimeout() {
        return Duration.ofNanos((long) (ttl.toNanos() * CALL_SHARE_OF_TTL));
    }

    /** For display; its key is what counts. */
    public String text() {
        return new RecordCodec("tenure session 1")
                .lines()
                .add("node", node)
                .add("ttlMillis", ttl.toMillis())
                .text();
    }
}
