// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.redis.servers.RedisServer;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.WatchRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Which connections are used again, and which are not. */
@Tag("server")
class RedisConnectionsTest {
    private static RedisConnections to(RedisServer server) {
        return new RedisConnections(RedisSettings.of(BackendUrl.parse(server.url())), uptimeSeconds -> {});
    }

    @Test
    void a_connection_that_was_in_use_while_another_call_failed_is_not_used_again() {
        try (RedisServer server = RedisServer.running()) {
            RedisConnections connections = to(server);

            Jedis before = connections.use(Effect.NONE, inUse -> {
                assertThatThrownBy(() -> connections.use(Effect.NONE, other -> {
                            throw new JedisConnectionException("the server is gone");
                        }))
                        .isInstanceOf(BackendException.class);
                return inUse;
            });
            Jedis after = connections.use(Effect.NONE, next -> next);

            assertThat(before.isConnected()).isFalse();
            assertThat(after).isNotSameAs(before);
            assertThat(connections.<Jedis>use(Effect.NONE, again -> again)).isSameAs(after);
            connections.close();
        }
    }

    @Test
    void a_subscription_that_has_ended_is_not_connected_again_by_a_renewal() throws Exception {
        Host host = SystemHost.start("test");
        try (RedisServer server = RedisServer.running()) {
            RedisConnections connections = to(server);
            ChangeSubscriber subscriber = new ChangeSubscriber(connections, "changed", new WatchRegistry<>(), host);
            Thread subscribing = new Thread(subscriber::subscribeUntilClosed);
            subscribing.start();
            Awaitility.await("a subscription").until(subscriber::isSubscribed);
            subscriber.close();
            subscribing.join();
            String connected = server.info("total_connections_received");

            subscriber.check();

            long asked = Long.parseLong(connected) + 1;
            assertThat(server.info("total_connections_received")).isEqualTo(Long.toString(asked));
            connections.close();
        } finally {
            host.shutdown();
        }
    }
}
