// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender.lock;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.bench.peers.contender.Contender;
import dev.tenure.bench.peers.contender.LeadingCallback;
import dev.tenure.bench.peers.contender.Pool;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A lock with a lifetime that is asked for again and again, and extended while it is held. It is made for jobs and not
 * for leaders: how often to ask, and what to believe in between, is for its user to decide.
 */
public final class ShedLockContender implements Contender {
    private static final Duration ASKED_EVERY = Duration.ofMillis(250);
    private static final int THREADS = 8;

    private final LockProvider provider;
    private final Runnable disconnect;
    private final Duration ttl;
    private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(THREADS);

    private ShedLockContender(LockProvider provider, Runnable disconnect, Duration ttl) {
        this.provider = provider;
        this.disconnect = disconnect;
        this.ttl = ttl;
    }

    /** In a table, by the database's time. */
    public static ShedLockContender jdbc(String url, Duration ttl) {
        HikariDataSource pool = Pool.open(url);
        LockProvider provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
        return new ShedLockContender(provider, pool::close, ttl);
    }

    /** As a key of one Redis. */
    public static ShedLockContender redis(String address, Duration ttl) {
        int colon = address.indexOf(':');
        JedisConnectionFactory connections = new JedisConnectionFactory(new RedisStandaloneConfiguration(
                address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))));
        connections.afterPropertiesSet();
        connections.start();
        return new ShedLockContender(new RedisLockProvider(connections), connections::destroy, ttl);
    }

    @Override
    public Stand stand(String election, Leading leading) {
        Stood stood = new Stood(election, leading);
        stood.ask();
        return stood;
    }

    @Override
    public long heartbeats() {
        return 0;
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
        disconnect.run();
    }

    private final class Stood implements Stand {
        private final String election;
        private final Leading leading;
        private volatile Optional<SimpleLock> lock = Optional.empty();
        private ScheduledFuture<?> asking;
        private boolean left;

        Stood(String election, Leading leading) {
            this.election = election;
            this.leading = leading;
            this.asking = scheduler.schedule(() -> {}, 0, TimeUnit.NANOSECONDS);
        }

        synchronized void ask() {
            if (left) {
                return;
            }
            lock = provider.lock(new LockConfiguration(Instant.now(), election, ttl, Duration.ZERO));
            if (lock.isPresent()) {
                LeadingCallback.begin(leading);
                asking = scheduler.schedule(this::extend, ttl.toMillis() / 3, TimeUnit.MILLISECONDS);
            } else {
                asking = scheduler.schedule(this::ask, ASKED_EVERY.toMillis(), TimeUnit.MILLISECONDS);
            }
        }

        private synchronized void extend() {
            lock = left ? Optional.empty() : lock.flatMap(held -> held.extend(ttl, Duration.ZERO));
            if (lock.isPresent()) {
                asking = scheduler.schedule(this::extend, ttl.toMillis() / 3, TimeUnit.MILLISECONDS);
            }
        }

        /** It has no word for it: what a user has is the last extension. */
        @Override
        public boolean believes() {
            return lock.isPresent();
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public synchronized void leave() {
            left = true;
            asking.cancel(false);
            lock.ifPresent(SimpleLock::unlock);
            lock = Optional.empty();
        }
    }
}
