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
 * Receives what the scripts publish, on a connection and a thread of its own, from the first watch on. Messages that come while there is
 * no connection are lost; the watchers are told when there is one again. Any thread.
 */
final class ChangeSubscriber {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RedisConnections connections;
    private final String channel;
    private final WatchRegistry<KeyWatcher> watchers;
    private final Host host;
    private final Host.Signal closed;
    private boolean started;
    private Optional<Subscription> current = Optional.empty();

    ChangeSubscriber(RedisConnections connections, String channel, WatchRegistry<KeyWatcher> watchers, Host host) {
        this.connections = connections;
        this.channel = channel;
        this.watchers = watchers;
        this.host = host;
        this.closed = host.signal();
    }

    synchronized void start() {
        if (!started && !closed.isSet()) {
            started = true;
            host.perform("tenure-subscribe", this::subscribeUntilClosed);
        }
    }

    private void subscribeUntilClosed() {
        try {
            while (!closed.isSet()) {
                subscribe();
                closed.await(PAUSE_NANOS);
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private void subscribe() {
        try {
            Subscription subscription = new Subscription(connections.open());
            try {
                if (keep(subscription)) {
                    subscription.connection.subscribe(subscription, channel);
                }
            } finally {
                RedisConnections.end(subscription.connection);
            }
        } catch (BackendException | JedisException broken) {
            LOG.log(Level.DEBUG, "not notified for a moment, only polling", broken);
        }
    }

    private synchronized boolean keep(Subscription subscription) {
        current = Optional.of(subscription);
        return !closed.isSet();
    }

    /** Called now and then: a connection that broke silently brings no answer until the next time, and is replaced. */
    void check() {
        Optional<Subscription> subscription;
        synchronized (this) {
            subscription = current;
        }
        subscription.ifPresent(Subscription::check);
    }

    synchronized void close() {
        closed.set();
        current.ifPresent(subscription -> RedisConnections.end(subscription.connection));
    }

    private final class Subscription extends JedisPubSub {
        private final Jedis connection;
        private volatile boolean unanswered;

        Subscription(Jedis connection) {
            this.connection = connection;
        }

        /** What changed before was published to nobody here. */
        @Override
        public void onSubscribe(String subscribed, int count) {
            watchers.tell(KeyWatcher::anyChanged);
        }

        @Override
        public void onMessage(String from, String key) {
            unanswered = false;
            watchers.tell(watcher -> watcher.changed(key));
        }

        @Override
        public void onPong(String message) {
            unanswered = false;
        }

        void check() {
            if (!isSubscribed()) {
                return;
            }
            if (unanswered) {
                RedisConnections.end(connection);
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
}
