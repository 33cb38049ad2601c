// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.Quiet;
import dev.tenure.internal.host.SystemHost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** A store, a client of it, and user code that blocks until the end of the test: on the real machine. */
abstract class BlockingScene {
    static {
        Quiet.logs();
    }

    static final Duration SOON = Duration.ofSeconds(20);

    final SystemHost clock = SystemHost.start("blocked-clock");
    final MemoryStore store = new MemoryStore(clock);
    final CountDownLatch forever = new CountDownLatch(1);
    final List<Tenure> clients = new ArrayList<>();
    final Tenure tenure = client();

    Tenure client() {
        Tenure client = Tenure.using(store).node("n").ttl(Duration.ofSeconds(2)).open();
        clients.add(client);
        return client;
    }

    @AfterEach
    void let_go() {
        forever.countDown();
        clients.forEach(Tenure::close);
        clock.shutdown();
    }

    void hang() {
        while (forever.getCount() > 0) {
            try {
                forever.await();
            } catch (InterruptedException deaf) {
                // an interrupt does not help either
            }
        }
    }

    static void awaitLatch(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    static class Service implements ActivePassive {
        final CountDownLatch on = new CountDownLatch(1);
        final CountDownLatch off = new CountDownLatch(1);
        volatile Leadership leadership;

        @Override
        public void activate(Leadership begun) throws Exception {
            leadership = begun;
            on.countDown();
        }

        @Override
        public void deactivate(Loss loss) throws Exception {
            off.countDown();
        }
    }
}
