// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.redlock;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.redis.servers.RedisServer;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** Three independent servers. */
final class LockServers implements AutoCloseable {
    private static LockServers shared;

    private final List<RedisServer> servers = new ArrayList<>();

    /** Running, and so short that they do not count yet. */
    static LockServers started() {
        LockServers three = new LockServers();
        for (int i = 0; i < 3; i++) {
            three.servers.add(RedisServer.running("--appendonly", "no", "--save", ""));
        }
        return three;
    }

    /** Running, and for long enough that they count. */
    static LockServers running(Path tokens) {
        LockServers three = started();
        Awaitility.await("servers that count")
                .atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .until(() -> {
                    three.read(tokens);
                    return true;
                });
        return three;
    }

    /** For all tests that only need a prefix of their own; they end with the JVM. */
    static synchronized LockServers shared(Path tokens) {
        if (shared == null) {
            LockServers three = running(tokens);
            Runtime.getRuntime().addShutdownHook(new Thread(three::close));
            shared = three;
        }
        return shared;
    }

    RedisServer server(int number) {
        return servers.get(number);
    }

    String url(String prefix, Path tokens) {
        return url(tokens.resolve(prefix)) + "&timeout=300ms&restart.pause=2s&prefix=" + prefix;
    }

    /** To which more options can be added. */
    String url(Path tokens) {
        String hosts = servers.stream().map(RedisServer::address).collect(Collectors.joining(","));
        return "redlock://" + hosts + "?tokens=local:" + tokens;
    }

    /** One read, of which a majority has to know. */
    private Versioned read(Path tokens) throws Exception {
        Host host = SystemHost.start("test");
        try (LeaseStore store = new RedlockProvider().connect(BackendUrl.parse(url("probe", tokens)), host)) {
            return store.read("c/a").toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            throw failure.getCause() instanceof BackendException known ? known : failure;
        } finally {
            host.shutdown();
        }
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
