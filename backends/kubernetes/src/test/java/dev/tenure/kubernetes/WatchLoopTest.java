// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.kubernetes.ScriptedApi.Asked;
import dev.tenure.kubernetes.ScriptedApi.Reply;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists, watches from there, and begins again when the version is too old. */
class WatchLoopTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private static String event(String type, String version, String key) {
        return "{\"type\":\"" + type
                + "\",\"object\":{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":"
                + "{\"name\":\"x\",\"resourceVersion\":\"" + version + "\",\"annotations\":{\"tenure.dev/key\":\"" + key
                + "\"}}}}\n";
    }

    private static String list(String version) {
        return "{\"kind\":\"LeaseList\",\"apiVersion\":\"coordination.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\""
                + version + "\"},\"items\":[]}";
    }

    private static boolean watches(Asked asked) {
        return asked.rest().contains("watch=true");
    }

    private static String from(Asked asked) {
        return watches(asked) ? asked.rest().replaceAll(".*resourceVersion=(\\d*).*", "$1") : "list";
    }

    private static LeaseWatcher watch(LeaseApi leases, Host host, Duration silence, List<String> told) {
        LeaseWatcher.Listener listener = new LeaseWatcher.Listener() {
            @Override
            public void listed(List<Lease> all) {
                told.add("all");
            }

            @Override
            public void changed(Lease lease, boolean deleted) {
                told.add(lease.getMetadata().getName());
            }

            @Override
            public void failed(BackendException why) {}
        };
        return new LeaseWatcher(leases, host, "labelSelector=x", silence, listener).start();
    }

    @Test
    void a_watch_goes_on_from_its_bookmark_and_begins_with_a_list_when_that_is_too_old() throws IOException {
        AtomicInteger lists = new AtomicInteger();
        List<String> told = new CopyOnWriteArrayList<>();
        String gone =
                "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                        + "\"message\":\"too old resource version\",\"reason\":\"Expired\",\"code\":410}}\n";

        try (ScriptedApi api = new ScriptedApi(asked -> switch (from(asked)) {
            case "list" -> Reply.ok(list(lists.getAndIncrement() == 0 ? "5" : "20"));
            case "5" -> Reply.ok(event("ADDED", "6", "c/a") + event("BOOKMARK", "9", ""));
            case "9" -> Reply.ok(gone);
            case "20" -> new Reply(410, "{}", false);
            default -> new Reply(500, "{}", false);
        })) {
            Host host = SystemHost.start("test");
            LeaseApi leases = new LeaseApi(KubernetesSettings.of(BackendUrl.parse(api.url(folder, ""))), host);
            LeaseWatcher watcher = watch(leases, host, Duration.ofSeconds(15), told);

            await().atMost(PATIENCE).until(() -> lists.get() >= 3);
            watcher.close();
            leases.close();
            host.shutdown();

            assertThat(api.asked().stream().map(WatchLoopTest::from).limit(6))
                    .containsExactly("list", "5", "9", "list", "20", "list");
            assertThat(told).startsWith("all", "x", "all");
        }
    }

    @Test
    void a_watch_that_says_nothing_for_a_ttl_is_begun_anew() throws IOException {
        AtomicInteger lists = new AtomicInteger();

        try (ScriptedApi api = new ScriptedApi(asked -> {
            if (asked.method().equals("GET") && !asked.rest().startsWith("/")) {
                return watches(asked)
                        ? new Reply(200, "", true)
                        : Reply.ok(list(Integer.toString(lists.incrementAndGet())));
            }
            return new Reply(404, "{}", false);
        })) {
            Host host = SystemHost.start("test");
            LeaseApi leases = new LeaseApi(KubernetesSettings.of(BackendUrl.parse(api.url(folder, ""))), host);
            long begunNanos = System.nanoTime();
            LeaseWatcher watcher = watch(leases, host, Duration.ofSeconds(1), new CopyOnWriteArrayList<>());

            await().atMost(PATIENCE)
                    .until(() -> lists.get() >= 3
                            && api.asked().stream()
                                            .filter(WatchLoopTest::watches)
                                            .count()
                                    >= 2);
            Duration took = Duration.ofNanos(System.nanoTime() - begunNanos);
            watcher.close();
            leases.close();
            host.shutdown();

            assertThat(took).isGreaterThan(Duration.ofMillis(1900));
        }
    }
}
