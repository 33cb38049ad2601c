// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.keyvalue;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Records;
import dev.tenure.faults.store.Servers;
import dev.tenure.faults.store.Standby;
import dev.tenure.faults.store.StoreUnderTest;
import dev.tenure.redis.servers.RedisGroup;
import dev.tenure.redis.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A primary of Redis with two replicas, and sentinels that let one of these take over. Candidates learn of the primary from the sentinels
 * and go there by themselves, so that nothing can be cut on their way.
 */
public final class SentinelStore implements StoreUnderTest, Servers, Standby {
    private static final int REPLICAS = 2;
    private static final Duration FAILOVER = Duration.ofSeconds(4);

    private final RedisGroup group;

    private SentinelStore(RedisGroup group) {
        this.group = group;
    }

    public static SentinelStore start() {
        return new SentinelStore(RedisGroup.running(RedisServer.Product.REDIS, REPLICAS));
    }

    @Override
    public Optional<Servers> servers() {
        return Optional.of(this);
    }

    @Override
    public Optional<Standby> standby() {
        return Optional.of(this);
    }

    @Override
    public Optional<Records> records() {
        return Optional.empty();
    }

    @Override
    public List<Integer> ports() {
        return List.of();
    }

    @Override
    public String url(List<String> addresses) {
        return group.url() + "&timeout=500ms";
    }

    @Override
    public void kill(int server) {
        group.servers().get(server).kill();
    }

    @Override
    public void stop(int server) {
        group.servers().get(server).freeze();
    }

    @Override
    public void goOn(int server) {
        group.servers().get(server).goOn();
    }

    @Override
    public void start(int server) {
        group.servers().get(server).start();
    }

    @Override
    public int leader() {
        return group.servers().indexOf(group.primary());
    }

    @Override
    public void awaitReady() {
        group.awaitReplicated();
    }

    @Override
    public void cutOff() {
        group.awaitReplicated();
        group.stopReplication();
    }

    @Override
    public boolean hasItsOwnClock() {
        return false;
    }

    @Override
    public void promote(Duration clockAhead) {
        group.failOver();
    }

    @Override
    public void repair() {
        group.servers().stream().filter(server -> !server.isRunning()).forEach(RedisServer::start);
        group.awaitReplicated();
    }

    /** By docs/backends/redis.md. */
    @Override
    public Duration bound(FaultScope scope, Duration ttl) {
        return scope == FaultScope.CANDIDATE ? ttl : ttl.plus(FAILOVER);
    }

    @Override
    public void close() {
        group.close();
    }
}
