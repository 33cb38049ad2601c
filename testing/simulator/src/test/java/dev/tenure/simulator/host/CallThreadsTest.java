// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Host;
import dev.tenure.testing.VirtualHost;
import dev.tenure.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class CallThreadsTest {
    private final VirtualTime time = new VirtualTime();
    private final VirtualHost host = new VirtualHost("node", time, 1);
    private final List<String> told = new ArrayList<>();
    private final CallThreads calls = new CallThreads("call", 2, new Machine());

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void a_call_beyond_the_bound_stands_in_line_until_a_thread_is_free() {
        calls.execute(() -> take(Duration.ofSeconds(3), "long"));
        calls.execute(() -> take(Duration.ofSeconds(1), "short"));
        calls.execute(() -> take(Duration.ofSeconds(1), "third"));

        time.advance(Duration.ofMillis(1_500));

        assertThat(told).containsExactly("short at 1 s");
        time.advance(Duration.ofSeconds(2));
        assertThat(told).containsExactly("short at 1 s", "third at 2 s", "long at 3 s");
    }

    @Test
    void a_call_that_hangs_keeps_one_thread_and_no_other() {
        calls.execute(() -> take(Duration.ofDays(1), "hung"));
        calls.execute(() -> take(Duration.ofSeconds(1), "first"));
        calls.execute(() -> take(Duration.ofSeconds(1), "second"));

        time.advance(Duration.ofSeconds(5));

        assertThat(told).containsExactly("first at 1 s", "second at 2 s");
        assertThat(calls.isBusy()).isTrue();
    }

    @Test
    void a_call_that_fails_does_not_cost_its_thread() {
        for (int i = 0; i < 3; i++) {
            calls.execute(() -> {
                throw new IllegalStateException("on purpose");
            });
        }
        calls.execute(() -> take(Duration.ofSeconds(1), "next"));

        time.advance(Duration.ofSeconds(1));

        assertThat(told).containsExactly("failed", "failed", "failed", "next at 1 s");
        assertThat(calls.isBusy()).isFalse();
    }

    private void take(Duration duration, String name) {
        try {
            host.signal().await(duration.toNanos());
        } catch (InterruptedException nobodyDoes) {
            throw new AssertionError(nobodyDoes);
        }
        told.add(name + " at " + Duration.ofNanos(time.nanos()).toSeconds() + " s");
    }

    private final class Machine implements CallThreads.Machine {
        @Override
        public void thread(String name, Runnable code) {
            host.runDuty(name, code);
        }

        @Override
        public Host.Signal signal() {
            return host.signal();
        }

        @Override
        public void failed(Throwable failure) {
            told.add("failed");
        }
    }
}
