// SPDX-License-Identifier: Apache-2.0
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
        return KeyValueEntry.among(objects(cluster, "/v1/kv/" + prefix + "?recurse&consistent"));
    }

    static List<Map<String, String>> sessions(ConsulCluster cluster) {
        return objects(cluster, "/v1/session/list?consistent");
    }

    private static List<Map<String, String>> objects(ConsulCluster cluster, String path) {
        try {
            return JsonText.objects(cluster.send("GET", path, "").body().getBytes(StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
