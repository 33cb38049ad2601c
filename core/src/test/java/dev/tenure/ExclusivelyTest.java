// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.TTL;
import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.Quiet;
import dev.tenure.fakes.Scene;
import dev.tenure.internal.host.SystemHost;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock is a short term. */
class ExclusivelyTest {
    static {
        Quiet.logs();
    }

    private final Scene scene = new Scene();
    private final ManualHost host = scene.host;
    private final Tenure a = scene.client("a");
    private final Tenure b = scene.client("b");

    private static void doNothing(Leadership leadership) {}

    @Test
    void the_body_runs_once_while_leading_and_the_election_is_free_afterwards() throws Exception {
        AtomicInteger runs = new AtomicInteger();

        a.exclusively("x", Duration.ofSeconds(5), leadership -> {
            assertThat(leadership.isValid()).isTrue();
            runs.incrementAndGet();
        });

        assertThat(runs).hasValue(1);
        assertThat(scene.store.peek("c/x").value()).contains("state=VACANT");
        a.exclusively("x", Duration.ofSeconds(5), leadership -> runs.incrementAndGet());
        assertThat(runs).hasValue(2);
    }

    @Test
    void who_is_not_elected_in_time_is_told_and_its_body_never_runs() {
        b.elect("x").perform(untilLost());
        host.settle();
        AtomicInteger runs = new AtomicInteger();

        assertThatThrownBy(() -> a.exclusively("x", Duration.ofSeconds(3), leadership -> runs.incrementAndGet()))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("x")
                .hasMessageContaining("3000 ms");

        b.close();
        host.advance(Duration.ofMinutes(1));
        assertThat(runs).hasValue(0);
    }

    @Test
    void what_the_body_throws_reaches_the_caller_and_it_is_not_repeated() {
        AtomicInteger runs = new AtomicInteger();

        assertThatThrownBy(() -> a.exclusively("x", Duration.ofSeconds(5), leadership -> {
                    runs.incrementAndGet();
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("disk");

        host.advance(Duration.ofMinutes(1));
        assertThat(runs).hasValue(1);
    }

    @Test
    void an_error_in_the_body_reaches_the_caller_as_well() {
        assertThatThrownBy(() -> a.exclusively("x", Duration.ofSeconds(5), leadership -> {
                    throw new AssertionError("body");
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessage("body");
    }

    @Test
    void a_body_whose_leadership_was_lost_does_not_pass_for_one_that_succeeded() {
        assertThatThrownBy(() -> a.exclusively("x", Duration.ofSeconds(5), leadership -> {
                    scene.store.keys("s/").forEach(scene.store::remove);
                    host.signal().await(TTL.multipliedBy(2).toNanos());
                }))
                .isInstanceOfAny(NotLeadingException.class, InterruptedException.class);
    }

    @Test
    void a_client_that_stands_already_cannot_lock_the_same_name() {
        a.elect("x").perform(untilLost());
        host.settle();

        assertThatThrownBy(() -> a.exclusively("x", Duration.ofSeconds(1), ExclusivelyTest::doNothing))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("already stands in election x")
                .hasMessageContaining("close that candidacy first");
    }

    @Test
    @Timeout(60)
    void bodies_of_several_processes_never_overlap_in_real_time() throws Exception {
        int clients = 3;
        int rounds = 6;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Long> tokens = new ArrayList<>();
        SystemHost clock = SystemHost.start("exclusively-clock");
        MemoryStore store = new MemoryStore(clock);
        ExecutorService pool = Executors.newFixedThreadPool(clients);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            String node = "n" + i;
            all.add(CompletableFuture.runAsync(
                    () -> {
                        try (Tenure tenure = Tenure.using(store)
                                .node(node)
                                .ttl(Duration.ofSeconds(5))
                                .open()) {
                            for (int round = 0; round < rounds; round++) {
                                tenure.exclusively("x", Duration.ofSeconds(30), leadership -> {
                                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                                    tokens.add(leadership.token().value());
                                    Thread.yield();
                                    inside.decrementAndGet();
                                });
                            }
                        } catch (Exception failed) {
                            throw new IllegalStateException(failed);
                        }
                    },
                    pool));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(50, TimeUnit.SECONDS);
        pool.shutdown();
        clock.shutdown();

        assertThat(most).hasValue(1);
        assertThat(tokens).hasSize(clients * rounds).isSorted().doesNotHaveDuplicates();
    }
}
