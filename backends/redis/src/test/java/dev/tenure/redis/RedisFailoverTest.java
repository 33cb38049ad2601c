// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Leadership;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.redis.servers.RedisCluster;
import dev.tenure.redis.servers.RedisGroup;
import dev.tenure.redis.servers.RedisServer;
import dev.tenure.redis.servers.RedisServer.Product;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** The primary dies, and a replica takes its place. */
@Tag("server")
class RedisFailoverTest {
    @Test
    void a_failover_that_loses_writes_ends_the_term_and_the_next_token_is_higher() throws Exception {
        try (RedisGroup group = RedisGroup.running(Product.REDIS, 2);
                Stander one = Stander.at(group.url())) {
            Leadership first = one.awaitLeadership();
            group.stopReplication(); // from here on no replica gets a renewal
            try (Stander two = Stander.at(group.url())) {
                group.failOver();

                one.awaitLoss();
                Leadership next = next(one, two);
                assertThat(first.isValid()).isFalse();
                assertThat(next.token()).isGreaterThan(first.token());
            }
        }
    }

    private static Leadership next(Stander one, Stander two) throws InterruptedException {
        Awaitility.await("one leads")
                .atMost(Duration.ofSeconds(30))
                .until(() -> one.hasLedAgain() || two.hasLedAgain());
        return one.hasLedAgain() ? one.awaitLeadership() : two.awaitLeadership();
    }

    @Test
    void a_failover_that_loses_only_the_claim_ends_the_term() throws Exception {
        try (RedisServer primary = RedisServer.running();
                Stander one = Stander.at(primary.url())) {
            Leadership first = one.awaitLeadership();

            // As if another server answered that lacks the claim and has the session: only a check of the claim tells.
            primary.ask(client -> client.del("{tenure}:c"));
            primary.ask(client -> client.replicaof("127.0.0.1", 1));
            primary.ask(client -> client.replicaofNoOne());
            primary.ask(client ->
                    client.clientKill(ClientKillParams.clientKillParams().type(ClientType.NORMAL)));

            one.awaitLoss();
            assertThat(one.awaitLeadership().token()).isGreaterThan(first.token());
        }
    }

    @Test
    void a_primary_that_has_become_a_replica_refuses_by_a_sentence_and_changes_nothing() throws Exception {
        Host host = SystemHost.start("test");
        try (RedisServer server = RedisServer.running();
                LeaseStore store = new RedisProvider().connect(BackendUrl.parse(server.url()), host)) {
            Versioned before = store.read("c/a").toCompletableFuture().get(30, TimeUnit.SECONDS);

            server.ask(client -> client.replicaof("127.0.0.1", 1)); // connections stay open

            Write claim = new Write(before, "claim", Optional.empty(), 1);
            assertThatThrownBy(() ->
                            store.compareAndSet(claim).toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            failure -> assertThat(failure.effect()).isEqualTo(BackendException.Effect.NONE))
                    .hasMessageContaining("has become a replica");
            long claims = server.ask(client -> client.hlen("{tenure}:c"));
            assertThat(claims).isZero();
        } finally {
            host.shutdown();
        }
    }

    @Test
    void a_cluster_is_reached_through_one_hash_tag_and_fails_over() throws Exception {
        try (RedisCluster cluster = RedisCluster.running(Product.REDIS);
                Stander one = Stander.at(cluster.url());
                Stander two = Stander.at(cluster.url())) {
            Leadership first = next(one, two);

            cluster.primaryOf("tenure").kill();

            Awaitility.await("the end of the term").until(() -> !first.isValid());
            assertThat(next(one, two).token()).isGreaterThan(first.token());
        }
    }

    @Test
    void a_subscription_that_ends_is_made_again() {
        Host host = SystemHost.start("test");
        try (RedisServer server = RedisServer.running();
                LeaseStore store = new RedisProvider().connect(BackendUrl.parse(server.url()), host)) {
            Set<String> hinted = ConcurrentHashMap.newKeySet();
            store.watch("c/", hinted::add);
            Awaitility.await("a subscription").until(() -> publish(server, "c/before") == 1);

            server.ask(client ->
                    client.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB)));

            Awaitility.await("another one").until(() -> publish(server, "c/after") == 1);
            Awaitility.await("a hint").until(() -> hinted.contains("c/after"));
        } finally {
            host.shutdown();
        }
    }

    private static long publish(RedisServer server, String key) {
        return server.ask(client -> client.publish("{tenure}:changed:0", key));
    }

    @Test
    void a_claim_waits_for_replicas_and_is_taken_back_without_them() throws Exception {
        try (RedisServer primary = RedisServer.running();
                RedisServer replica =
                        RedisServer.running("--replicaof", "127.0.0.1", Integer.toString(primary.port()))) {
            Awaitility.await("a replica that follows")
                    .until(() -> primary.info("connected_slaves").equals("1")
                            && primary.info("slave0").contains("state=online"));
            StoreCall.claim(primary.url() + "?prefix=one&replicas=1&timeout=20s");
            assertThat(StoreCall.read(primary.url() + "?prefix=one").isPresent())
                    .isTrue();

            String wantsTwo = primary.url() + "?prefix=two&replicas=2&timeout=200ms";
            assertThatThrownBy(() -> StoreCall.claim(wantsTwo))
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            failure -> assertThat(failure.effect()).isEqualTo(BackendException.Effect.UNKNOWN))
                    .hasMessageContaining("was not copied in time");
            assertThat(StoreCall.read(wantsTwo).isPresent()).isFalse();
            assertThatThrownBy(() -> StoreCall.read(replica.url()))
                    .hasMessageContaining("is a replica: name its primary");
        }
    }

    @Test
    void a_claim_waits_for_the_disk_where_the_server_can() throws Exception {
        try (RedisServer server = RedisServer.running(Product.VALKEY, "--appendonly", "yes")) {
            StoreCall.claim(server.url() + "?aof=1");
        }
        assertUnknown(SharedServers.url(Product.VALKEY, "disk") + "&aof=1").hasMessageContaining("appendonly yes");
        assertUnknown(SharedServers.url(Product.REDIS, "disk") + "&aof=1")
                .hasMessageContaining("too old for an option");
    }

    /** The claim was written before the server refused to wait. */
    private static AbstractThrowableAssert<?, ?> assertUnknown(String url) throws Exception {
        AbstractThrowableAssert<?, ?> refused = assertThatThrownBy(() -> StoreCall.claim(url))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(BackendException.Effect.UNKNOWN));
        assertThat(StoreCall.read(url).isPresent()).isTrue();
        return refused;
    }
}
