package dev.tenure.redis;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;

/**
 * Connections to the primary, one per call at a time. When one breaks or is refused as by a replica, all others are closed too, and the
 * next call looks for the primary again: it asks the sentinels, follows the redirection of a cluster, or tries the servers of the URL
 * in turn. Any thread.
 */
final class RedisConnections {
    private static final int REDIRECTIONS_MAX = 3;

    private final RedisSettings settings;
    private final RedisErrors errors;
    private final Runnable replaced;
    private final Deque<Jedis> idle = new ArrayDeque<>();
    /** Where a cluster said that the keys are. */
    private Optional<HostAndPort> redirected = Optional.empty();

    private String history = "";
    private boolean closed;

    /** @param replaced another server answers from now on, or one that may have lost writes */
    RedisConnections(RedisSettings settings, Runnable replaced) {
        this.settings = settings;
        this.errors = new RedisErrors(settings);
        this.replaced = replaced;
    }

    RedisErrors errors() {
        return errors;
    }

    /** @param unanswered what the call may have done if no answer comes */
    <T> T use(Effect unanswered, Function<Jedis, T> call) {
        for (int redirections = 0; ; redirections++) {
            Jedis connection = borrow();
            boolean whole = false;
            try {
                T reply = call.apply(connection);
                whole = true;
                return reply;
            } catch (JedisMovedDataException elsewhere) { // it was not executed
                redirect(elsewhere.getTargetNode());
                if (redirections == REDIRECTIONS_MAX) {
                    throw errors.refused(elsewhere);
                }
            } catch (JedisDataException refused) {
                throw errors.refused(refused);
            } catch (JedisException broken) {
                throw errors.broken(broken, unanswered);
            } finally {
                giveBack(connection, whole);
            }
        }
    }

    private Jedis borrow() {
        synchronized (this) {
            if (!idle.isEmpty()) {
                return idle.pop();
            }
        }
        return open();
    }

    private void giveBack(Jedis connection, boolean whole) {
        List<Jedis> ended = new ArrayList<>();
        synchronized (this) {
            if (whole && !closed) {
                idle.push(connection);
                return;
            }
            ended.add(connection);
            ended.addAll(idle);
            idle.clear();
        }
        ended.forEach(RedisConnections::end);
    }

    static void end(Jedis connection) {
        try {
            connection.getConnection().forceDisconnect();
        } catch (JedisException | java.io.IOException gone) {
            // There is nothing left to free.
        }
    }

    private synchronized void redirect(HostAndPort target) {
        redirected = Optional.of(target);
    }

    /** A connection to the primary, for a caller that keeps it. */
    Jedis open() {
        BackendException why = errors.noPrimary("none of the servers is a primary");
        for (HostAndPort server : candidates()) {
            try {
                Jedis connection = new Jedis(server, settings.client());
                try {
                    greet(server, ServerInfo.of(connection));
                    return connection;
                } catch (RuntimeException unusable) {
                    end(connection);
                    throw unusable;
                }
            } catch (JedisException failure) {
                why = errors.notConnected(server, failure);
            } catch (BackendException unusable) {
                why = unusable;
            }
        }
        synchronized (this) {
            redirected = Optional.empty();
        }
        throw why;
    }

    private void greet(HostAndPort server, ServerInfo info) {
        if (info.isTooOld()) {
            throw errors.tooOld(info.version());
        }
        if (info.mayEvict()) {
            throw errors.evicting();
        }
        if (info.isReplica()) {
            throw errors.noPrimary(server + " is a replica: name its primary, or the sentinels with ?sentinel=NAME");
        }
        boolean another;
        synchronized (this) {
            another = info.history().isEmpty() || !(history.isEmpty() || history.equals(info.history()));
            history = info.history();
        }
        if (another) {
            replaced.run();
        }
    }

    private Set<HostAndPort> candidates() {
        if (settings.sentinel().isPresent()) {
            return Set.of(askSentinels(settings.sentinel().get()));
        }
        Set<HostAndPort> all = new LinkedHashSet<>();
        synchronized (this) {
            redirected.ifPresent(all::add);
        }
        all.addAll(settings.servers());
        return all;
    }

    private HostAndPort askSentinels(RedisSettings.Sentinel sentinel) {
        BackendException why = errors.noPrimary("no sentinel knows '" + sentinel.master() + "': ?sentinel= must name the primary"
                + " as 'sentinel monitor' does");
        for (HostAndPort server : settings.servers()) {
            try (Jedis connection = new Jedis(server, sentinel.client())) {
                List<String> address = connection.sentinelGetMasterAddrByName(sentinel.master());
                if (address != null) {
                    return new HostAndPort(address.get(0), Integer.parseInt(address.get(1)));
                }
            } catch (JedisException failure) {
                why = errors.notConnected(server, failure);
            }
        }
        throw why;
    }

    /** Connections that are in use are closed when they come back. */
    void close() {
        List<Jedis> ended;
        synchronized (this) {
            closed = true;
            ended = List.copyOf(idle);
            idle.clear();
        }
        ended.forEach(RedisConnections::end);
    }
}
