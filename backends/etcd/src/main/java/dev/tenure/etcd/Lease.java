package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Message;
import dev.tenure.etcd.grpc.MessageWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

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
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("node", node);
        fields.put("ttlMillis", Long.toString(ttl.toMillis()));
        return Fields.write("tenure session 1", fields);
    }
}
