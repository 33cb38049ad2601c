// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.redis.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One Redis that keeps nothing on its disk. */
public final class RedisBenchStore extends UncountedStore {
    private final RedisServer server = RedisServer.running();

    @Override
    public String name() {
        return "Redis " + server.info("redis_version");
    }

    @Override
    public List<Kind> peers() {
        return List.of(Kind.REDISSON, Kind.SHEDLOCK_REDIS);
    }

    @Override
    public String address(Kind kind) {
        return kind == Kind.TENURE ? server.url() : server.address();
    }

    @Override
    public String address(Kind kind, int single) {
        return address(kind);
    }

    /** The server ends a session after its TTL; a busy machine needs a moment to tell. */
    @Override
    public Optional<Duration> expiryDelayMax() {
        return Optional.of(Duration.ofMillis(500));
    }

    @Override
    public void close() {
        server.close();
    }
}
