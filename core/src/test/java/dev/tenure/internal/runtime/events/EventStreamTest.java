// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.TenureEvent;
import dev.tenure.Term;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.Quiet;
import dev.tenure.internal.runtime.LogLines;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EventStreamTest {
    private static final int BOUND = 100_000;

    static {
        Quiet.logs();
    }

    private final ManualHost host = new ManualHost();
    private final EventStream stream = new EventStream(host);

    private static TenureEvent event(int number) {
        return new TenureEvent.SessionOpened("s" + number, java.time.Duration.ZERO);
    }

    @Test
    void events_are_delivered_in_order_and_off_the_loop() {
        List<TenureEvent> seen = new ArrayList<>();
        stream.listen(seen::add, false);
        List<TenureEvent> told =
                IntStream.range(0, 100).mapToObj(EventStreamTest::event).toList();

        told.forEach(stream::publish);
        assertThat(seen).isEmpty();
        host.settle();

        assertThat(seen).isEqualTo(told);
    }

    @Test
    void a_listener_that_blocks_costs_its_own_events_beyond_the_bound_and_no_other_listener_any() {
        AtomicInteger slow = new AtomicInteger();
        AtomicInteger prompt = new AtomicInteger();
        List<Runnable> calls = new ArrayList<>();
        EventStream threads = new EventStream(new Delegate(calls::add));
        threads.listen(event -> slow.incrementAndGet(), false);
        threads.listen(event -> prompt.incrementAndGet(), false);
        threads.publish(event(0));
        Runnable blocked = calls.remove(0); // it has a thread, and does not come to an end

        List<String> lines = LogLines.of("dev.tenure", () -> {
            for (int i = 1; i < BOUND + 1000; i++) {
                threads.publish(event(i));
                runAll(calls);
            }
        });

        assertThat(prompt).hasValue(BOUND + 1000);
        assertThat(lines)
                .filteredOn(line -> line.contains("512 of its calls were dropped"))
                .hasSize(1);
        assertThat(lines).hasSize(10);
        blocked.run();
        assertThat(slow).hasValue(BOUND);
        threads.publish(event(0));
        runAll(calls);
        assertThat(slow).hasValue(BOUND + 1);
    }

    private static void runAll(List<Runnable> calls) {
        List<Runnable> now = List.copyOf(calls);
        calls.clear();
        now.forEach(Runnable::run);
    }

    @Test
    void what_the_loop_does_in_the_same_moment_does_not_wait_for_a_listener() {
        List<Object> begun = new ArrayList<>();
        stream.listen(begun::add, false);

        stream.publish(event(1));
        host.runCallback(() -> begun.add("duty"));
        host.settle();

        assertThat(begun).containsExactly("duty", event(1));
    }

    @Test
    void a_listener_that_fails_disturbs_neither_the_others_nor_the_next_event() {
        List<TenureEvent> seen = new ArrayList<>();
        stream.listen(
                event -> {
                    throw new IllegalStateException("listener");
                },
                false);
        stream.listen(
                event -> {
                    throw new AssertionError("listener");
                },
                false);
        stream.listen(seen::add, false);

        stream.publish(event(1));
        stream.publish(event(2));
        stream.publish(event(3));
        host.settle();

        assertThat(seen).containsExactly(event(1), event(2), event(3));
        assertThat(host.failures()).isEmpty();
    }

    @Test
    void what_is_told_during_a_delivery_comes_after_it() {
        List<TenureEvent> seen = new ArrayList<>();
        stream.listen(
                event -> {
                    seen.add(event);
                    if (seen.size() == 1) {
                        stream.publish(event(2));
                    }
                },
                false);

        stream.publish(event(1));
        host.settle();

        assertThat(seen).containsExactly(event(1), event(2));
    }

    @Test
    void concurrent_tellers_lose_nothing_and_never_overlap() throws InterruptedException {
        List<TenureEvent> seen = new ArrayList<>();
        stream.listen(seen::add, false);
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        List<Runnable> calls = java.util.Collections.synchronizedList(new ArrayList<>());
        EventStream busy = new EventStream(new Delegate(calls::add));
        busy.listen(seen::add, false);
        for (int t = 0; t < 4; t++) {
            int base = t * 1000;
            Thread thread = new Thread(() -> {
                awaitQuietly(go);
                IntStream.range(0, 1000).forEach(i -> busy.publish(event(base + i)));
            });
            thread.start();
            threads.add(thread);
        }

        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        List.copyOf(calls).forEach(Runnable::run);

        assertThat(calls).as("one drain at a time").hasSize(1);
        assertThat(seen).hasSize(4000);
        for (int t = 0; t < 4; t++) {
            int base = t * 1000;
            List<TenureEvent> own =
                    IntStream.range(0, 1000).mapToObj(i -> event(base + i)).toList();
            assertThat(seen).containsSubsequence(own);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void an_event_has_one_line_for_operators_with_election_and_token() {
        Term term = new Term(ElectionName.of("sweeper"), new FencingToken(42), new Nonce(1, 1), "n");
        List<String> lines = LogLines.of("dev.tenure.transitions", () -> {
            stream.publish(new TenureEvent.Elected(term));
            stream.publish(new TenureEvent.Lost(term, new Loss.Resigned("deploy")));
            host.settle();
        });

        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).contains("sweeper").contains("elected").contains("42");
        assertThat(lines.get(1)).contains("sweeper").contains("42").contains("resigned: deploy");
    }

    /** A host of which only the calls are used, and a loop that has nothing else to do. */
    private record Delegate(java.util.function.Consumer<Runnable> calls) implements dev.tenure.spi.Host {
        @Override
        public void runCallback(Runnable callback) {
            calls.accept(callback);
        }

        @Override
        public void runFinalCallback(Runnable callback) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long nanos() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long wallMillis() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long random() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void post(Runnable event) {
            event.run();
        }

        @Override
        public Timer wakeAt(long nanos, Runnable event) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Work runDuty(String name, Runnable userCode) {
            userCode.run();
            return () -> {};
        }

        @Override
        public java.util.concurrent.Executor io() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Signal signal() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void halt(String why) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void shutdown() {
            throw new UnsupportedOperationException();
        }
    }
}
