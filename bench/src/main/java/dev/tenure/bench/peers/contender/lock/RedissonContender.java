// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender.lock;

import dev.tenure.bench.peers.contender.Contender;
import dev.tenure.bench.peers.contender.LeadingCallback;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** One client, and one lock for each election, which its watchdog extends. A lock belongs to a thread, so each stand has a number. */
public final class RedissonContender implements Contender {
    private final RedissonClient client;
    private final AtomicLong threads = new AtomicLong();

    public RedissonContender(String address, Duration ttl) {
        Config config = new Config();
        config.setLockWatchdogTimeout(ttl.toMillis());
        config.useSingleServer().setAddress("redis://" + address);
        client = Redisson.create(config);
    }

    @Override
    public Stand stand(String election, Leading leading) {
        RLock lock = client.getLock("redisson/" + election);
        long thread = threads.incrementAndGet();
        return new Stood(lock, thread, lock.lockAsync(thread).thenRun(() -> LeadingCallback.begin(leading)));
    }

    @Override
    public long heartbeats() {
        return 0;
    }

    @Override
    public void close() {
        client.shutdown();
    }

    private record Stood(RLock lock, long thread, CompletionStage<Void> elected) implements Stand {
        /** Asks the server. */
        @Override
        public boolean believes() {
            return elected.toCompletableFuture().isDone() && lock.isHeldByThread(thread);
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public void leave() {
            lock.unlockAsync(thread).toCompletableFuture().join();
        }
    }
}
