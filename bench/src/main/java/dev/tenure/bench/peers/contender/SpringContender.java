// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** One registry of locks over a pool, and one initiator for each election, set as they come. */
final class SpringContender implements Contender {
    private final HikariDataSource pool;
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry locks;
    private final Map<String, LockRegistryLeaderInitiator> standing = new ConcurrentHashMap<>();

    SpringContender(String url, Duration ttl) {
        pool = Pool.open(url);
        repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        locks = new JdbcLockRegistry(repository, ttl);
    }

    @Override
    public Stand stand(String election, Leading leading) {
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(locks, new DefaultCandidate("bench", election) {
                    @Override
                    public void onGranted(Context granted) {
                        LeadingCallback.begin(leading);
                    }

                    @Override
                    public void onRevoked(Context revoked) {}
                });
        initiator.setApplicationEventPublisher(event -> {});
        standing.put(election, initiator);
        initiator.start();
        return new Stood(initiator, () -> standing.remove(election));
    }

    @Override
    public long heartbeats() {
        return 0;
    }

    @Override
    public void close() {
        standing.values().forEach(LockRegistryLeaderInitiator::destroy);
        repository.close();
        pool.close();
    }

    private record Stood(LockRegistryLeaderInitiator initiator, Runnable forget) implements Stand {
        @Override
        public boolean believes() {
            return initiator.getContext().isLeader();
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public void leave() {
            initiator.destroy();
            forget.run();
        }
    }
}
