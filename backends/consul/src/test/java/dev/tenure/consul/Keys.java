package dev.tenure.consul;

import dev.tenure.consul.servers.ConsulCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** What stands in the store, read past the backend. */
final class Keys {
    private Keys() {}

    static List<KeyValueEntry> under(ConsulCluster cluster, String prefix) {
        return list(cluster, "/v1/kv/" + prefix + "?recurse&consistent").stream()
                .map(KeyValueEntry::of)
                .toList();
    }

    static List<Map<?, ?>> sessions(ConsulCluster cluster) {
        return list(cluster, "/v1/session/list?consistent");
    }

    private static List<Map<?, ?>> list(ConsulCluster cluster, String path) {
        String body = cluster.send("GET", path, "").body();
        try {
            List<Map<?, ?>> all = new java.util.ArrayList<>();
            if (!body.isEmpty() && JsonText.read(body.getBytes(StandardCharsets.UTF_8)) instanceof List<?> list) {
                list.forEach(one -> all.add((Map<?, ?>) one));
            }
            return all;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
