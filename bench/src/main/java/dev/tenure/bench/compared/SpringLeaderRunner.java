// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A leader by a lock in the database, which does the job at the beginning of each period if it still leads. */
final class SpringLeaderRunner implements JobRunner {
    @Override
    public LongSupplier start(Job job) {
        DefaultLockRepository repository = new DefaultLockRepository(job.pool());
        repository.setTransactionManager(new JdbcTransactionManager(job.pool()));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        JdbcLockRegistry locks =
                job.idle() ? new JdbcLockRegistry(repository) : new JdbcLockRegistry(repository, LOCK_TIME);
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(locks, new DefaultCandidate(job.node(), "compared"));
        initiator.setApplicationEventPublisher(event -> {});
        initiator.start();
        Thread worker = new Thread(() -> work(job, initiator), "works while it leads");
        worker.setDaemon(true);
        worker.start();
        return () -> 0;
    }

    private static void work(Job job, LockRegistryLeaderInitiator initiator) {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(job.untilDue().toMillis());
                if (initiator.getContext().isLeader()) {
                    job.effects().perform(Optional.empty());
                }
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
