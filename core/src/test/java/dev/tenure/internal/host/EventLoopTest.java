// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.Quiet;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What events may leave behind on the thread of the loop. */
@Timeout(30)
class EventLoopTest {
    static {
        Quiet.logs();
    }

    private final SystemHost host = SystemHost.start("loop-under-test");

    @AfterEach
    void stop() {
        host.shutdown();
    }

    private static void awaitLatch(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void the_loop_survives_a_log_that_fails() throws InterruptedException {
        Handler broken = new Handler() {
            @Override
            public void publish(LogRecord line) {
                throw new IllegalStateException("log");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger("dev.tenure");
        log.addHandler(broken);
        log.setLevel(Level.ALL);
        CountDownLatch done = new CountDownLatch(1);
        try {
            host.post(() -> {
                throw new IllegalStateException("event");
            });
            host.post(done::countDown);
            awaitLatch(done);
        } finally {
            log.removeHandler(broken);
            Quiet.logs();
        }
    }

    @Test
    void an_event_that_leaves_an_interrupt_behind_does_not_keep_the_loop_busy() throws InterruptedException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        AtomicLong busyNanos = new AtomicLong();
        CountDownLatch done = new CountDownLatch(1);
        host.post(() -> {
            busyNanos.set(-threads.getCurrentThreadCpuTime());
            host.wakeAt(host.nanos() + 500_000_000, () -> {
                busyNanos.addAndGet(threads.getCurrentThreadCpuTime());
                done.countDown();
            });
            Thread.currentThread().interrupt();
        });
        awaitLatch(done);

        assertThat(busyNanos.get()).isLessThan(50_000_000);
    }
}
