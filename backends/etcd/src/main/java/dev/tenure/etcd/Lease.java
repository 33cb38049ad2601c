package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Message;
import dev.tenure.etcd.grpc.MessageWriter;
import dev.tenure.spi.support.RecordCodec;
import java.time.Duration;

/** A session as etcd knows it. */
record Lease(long id, Duration ttl, String node) {
    private static final double PATIENCE_SHARE_OF_TTL = 0.15;

    /** After this long the engine has given a call up; its answer may still be worth having. */
    Duration patience() {
        return Duration.ofNanos((long) (ttl.toNanos() * PATIENCE_SHARE_OF_TTL));
    }

    /** Every request about a lease begins with its id. */
    Message request() {
        return new MessageWriter().number(1, id).done();
    }

    /** Shown to those who look; its key is what counts. */
    String text() {
        return new RecordCodec("tenure session 1")
                .lines()
                .add("node", node)
                .add("ttlMillis", ttl.toMillis())
                .text();
    }
}
