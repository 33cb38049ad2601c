// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.WatchRegistry;
import dev.tenure.spi.support.WatchRegistry.KeyWatcher;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Receives what the scripts publish, on a connection and a thread of its own. Messages that come while there is no connection are lost;
 * the watchers are told when there is one again.
 */
final class ChangeSubscriber extends JedisPubSub {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RedisConnections connections;
    private final String channel;
    private final WatchRegistry<KeyWatcher> watchers;
    private final Host.Signal closed;
    private volatile Optional<Jedis> current = Optional.empty();
    private volatile boolean unanswered;
    private volatile boolean ended;

    ChangeSubscriber(RedisConnections connections, String channel, WatchRegistry<KeyWatcher> watchers, Host host) {
        this.connections = connections;
        this.channel = channel;
        this.watchers = watchers;
        this.closed = host.signal();
    }

    void subscribeUntilClosed() {
        try {
            do {
                ended = false;
                try {
                    current = Optional.of(connections.open());
                    unanswered = false;
                    if (!closed.isSet()) {
                        current.get().subscribe(this, channel);
                    }
                } catch (BackendException | JedisException broken) {
                    LOG.log(Level.DEBUG, "not notified for a moment, only polling", broken);
                }
                current.ifPresent(RedisConnections::end);
                // A connection that this process has ended is replaced at once.
            } while (!closed.await(ended ? 0 : PAUSE_NANOS));
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /** What changed before was published to nobody here. */
    @Override
    public void onSubscribe(String subscribed, int count) {
        if (closed.isSet()) { // since it was looked at: the client has connected again
            current.ifPresent(RedisConnections::end);
        }
        watchers.publish(KeyWatcher::anyChanged);
    }

    @Override
    public void onMessage(String from, String key) {
        watchers.publish(watcher -> watcher.changed(key));
    }

    @Override
    public void onPong(String message) {
        unanswered = false;
    }

    /** Called with each renewal: a connection that broke silently has not answered until the next one, and is replaced. */
    void check() {
        // On a connection that has ended the client would connect again, without a login.
        if (isSubscribed() && current.filter(Jedis::isConnected).isPresent()) {
            if (unanswered) {
                ended = true;
                current.ifPresent(RedisConnections::end);
                return;
            }
            unanswered = true;
            try {
                ping();
            } catch (JedisException gone) {
                LOG.log(Level.DEBUG, "the subscription has ended", gone);
            }
        }
    }

    void close() {
        closed.set();
        current.ifPresent(RedisConnections::end);
    }
}
