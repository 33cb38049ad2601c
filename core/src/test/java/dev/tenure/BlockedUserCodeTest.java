// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.internal.runtime.LogLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** User code that blocks: it costs its own election, and nobody else's. */
@Timeout(60)
class BlockedUserCodeTest extends BlockingScene {
    @Test
    void services_that_lose_their_terms_together_are_all_told_at_once() throws Exception {
        int count = 18;
        CyclicBarrier allAreStopping = new CyclicBarrier(count);
        List<Service> services = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Service service = new Service() {
                @Override
                public void deactivate(Loss loss) throws Exception {
                    allAreStopping.await();
                    super.deactivate(loss);
                }
            };
            services.add(service);
            tenure.elect("service/" + i).run(service);
        }
        for (Service service : services) {
            awaitLatch(service.on);
        }

        store.fateOfAll("", Fate.DROP);

        for (Service service : services) {
            awaitLatch(service.off);
        }
        store.heal();
    }

    @Test
    void services_that_hang_in_activate_keep_no_other_one_on_and_no_later_one_out() throws Exception {
        for (int i = 0; i < 5; i++) {
            Service hanging = new Service() {
                @Override
                public void activate(Leadership begun) throws Exception {
                    super.activate(begun);
                    hang();
                }
            };
            tenure.elect("hanging/" + i).run(hanging);
            awaitLatch(hanging.on);
        }

        Service good = new Service();
        Candidacy candidacy = tenure.elect("good").run(good);
        awaitLatch(good.on);
        candidacy.resign("deploy");
        awaitLatch(good.off);
        Candidacy later = tenure.elect("later").perform(untilLost());

        assertThat(later.awaitLeading(SOON)).isTrue();
    }

    @Test
    void listeners_of_a_loss_that_do_not_return_keep_nobody_from_being_elected() throws Exception {
        CountDownLatch told = new CountDownLatch(5);
        for (int i = 0; i < 5; i++) {
            Candidacy candidacy = tenure.elect("hanging/" + i).perform(leadership -> {
                leadership.onLoss(loss -> {
                    told.countDown();
                    hang();
                });
                untilLost().perform(leadership);
            });
            assertThat(candidacy.awaitLeading(SOON)).isTrue();
            candidacy.resign("deploy");
        }
        awaitLatch(told);

        Service good = new Service();
        Candidacy candidacy = tenure.elect("good").run(good);
        awaitLatch(good.on);
        candidacy.resign("deploy");

        awaitLatch(good.off);
    }

    @Test
    void of_one_election_one_listener_of_a_loss_runs_at_a_time() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger terms = new AtomicInteger();
        Candidacy candidacy = tenure.elect("x").perform(leadership -> {
            terms.incrementAndGet();
            leadership.onLoss(loss -> {
                begun.incrementAndGet();
                hang();
            });
            untilLost().perform(leadership);
        });

        for (int term = 1; term <= 4; term++) {
            int number = term;
            await().atMost(SOON).until(() -> terms.get() == number && candidacy.isLeading());
            candidacy.resign("deploy");
        }
        await().atMost(SOON).until(() -> terms.get() == 5);

        assertThat(begun).hasValue(1);
        forever.countDown();
        await().atMost(SOON).until(() -> begun.get() == 4);
    }

    @Test
    void beyond_the_bound_of_threads_authority_ends_in_time_and_the_log_says_so() throws Exception {
        List<Service> services = new ArrayList<>();
        Tenure few = Tenure.using(store)
                .node("few")
                .ttl(Duration.ofSeconds(2))
                .callbackThreadsMax(2)
                .open();
        clients.add(few);
        for (int i = 0; i < 4; i++) {
            Service service = new Service() {
                @Override
                public void deactivate(Loss loss) throws Exception {
                    hang();
                    super.deactivate(loss);
                }
            };
            services.add(service);
            few.elect("service/" + i).run(service);
            awaitLatch(service.on);
        }

        List<String> lines = LogLines.of("dev.tenure", written -> {
            store.fateOfAll("", Fate.DROP);
            await().atMost(SOON).until(() -> services.stream().noneMatch(service -> service.leadership.isValid()));
            await().atMost(SOON)
                    .until(() -> written.stream().anyMatch(line -> line.contains("for code that ends work")));
        });

        assertThat(lines)
                .filteredOn(line -> line.contains("threads for code that ends work are busy"))
                .hasSize(1);
        store.heal();
    }

    @Test
    void an_event_listener_that_blocks_stops_neither_other_listeners_nor_the_end_of_a_candidacy() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        Queue<TenureEvent> seen = new ConcurrentLinkedQueue<>();
        tenure.onEvent(event -> {
            blocked.countDown();
            hang();
        });
        tenure.onEvent(seen::add);
        CountDownLatch renewed = new CountDownLatch(1);
        Candidacy candidacy = tenure.elect("x").perform(leadership -> {
            leadership.onRenewal(renewed::countDown);
            untilLost().perform(leadership);
        });
        awaitLatch(blocked);
        awaitLatch(renewed);

        candidacy.close();

        assertThat(candidacy.retired().toCompletableFuture().get(20, TimeUnit.SECONDS))
                .isEqualTo(new Loss.Closed());
        await().atMost(SOON).until(() -> seen.stream().anyMatch(TenureEvent.Retired.class::isInstance));
    }

    @Test
    void a_watch_whose_listener_blocks_stops_no_other_watch() throws Exception {
        try (LeaderWatch first = tenure.observe("x");
                LeaderWatch second = tenure.observe("x")) {
            CountDownLatch blocked = new CountDownLatch(1);
            CountDownLatch led = new CountDownLatch(1);
            first.onChange(change -> {
                blocked.countDown();
                hang();
            });
            second.onChange(change -> change.to().ifPresent(leader -> led.countDown()));
            awaitLatch(blocked);

            tenure.elect("x").perform(untilLost());

            awaitLatch(led);
        }
    }

    @Test
    void a_fence_whose_raise_hangs_keeps_one_thread_is_interrupted_and_is_told_once() throws Exception {
        Queue<TenureEvent.ClaimAbandoned> abandoned = new ConcurrentLinkedQueue<>();
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.ClaimAbandoned one) {
                abandoned.add(one);
            }
        });
        AtomicInteger raises = new AtomicInteger();
        AtomicBoolean interrupted = new AtomicBoolean();
        Fence hanging = term -> {
            if (raises.incrementAndGet() == 1) {
                try {
                    forever.await();
                } catch (InterruptedException told) {
                    interrupted.set(true);
                }
                hang();
            }
        };
        Candidacy candidacy = tenure.elect("x")
                .coolDown(Duration.ofMillis(10))
                .fencedBy(hanging)
                .perform(untilLost());
        await().atMost(SOON).untilTrue(interrupted);

        Candidacy other = client().elect("x").perform(untilLost());
        assertThat(other.awaitLeading(SOON)).isTrue();
        other.close();

        await().atMost(SOON).until(() -> !abandoned.isEmpty());
        assertThat(raises).hasValue(1);
        assertThat(abandoned).hasSize(1);
        assertThat(abandoned.element().why()).contains("interrupted");
        forever.countDown();
        assertThat(candidacy.awaitLeading(SOON)).isTrue();
        assertThat(raises).hasValue(2);
    }

    @Test
    void every_listener_of_a_loss_is_called_however_many_they_are() throws Exception {
        int count = 5_000;
        CountDownLatch told = new CountDownLatch(count);
        CountDownLatch registered = new CountDownLatch(1);
        Candidacy candidacy = tenure.elect("x").perform(leadership -> {
            for (int i = 0; i < count; i++) {
                leadership.onLoss(loss -> told.countDown());
            }
            registered.countDown();
            untilLost().perform(leadership);
        });
        awaitLatch(registered);

        candidacy.resign("deploy");

        awaitLatch(told);
    }

    @Test
    void a_log_that_blocks_does_not_stop_the_engine() throws Exception {
        Handler full = new Handler() {
            @Override
            public void publish(LogRecord line) {
                hang();
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.tenure");
        CountDownLatch renewals = new CountDownLatch(1);
        Candidacy blocking = tenure.elect("blocking").perform(leadership -> {
            leadership.onRenewal(() -> {
                renewals.countDown();
                hang();
            });
            untilLost().perform(leadership);
        });
        Service good = new Service();
        Candidacy candidacy = tenure.elect("good").run(good);
        awaitLatch(renewals);
        awaitLatch(good.on);

        logger.addHandler(full);
        try {
            long renewedBefore = tenure.stats().renewals();
            await().atMost(SOON).until(() -> tenure.stats().renewals() > renewedBefore + 6);
            candidacy.resign("deploy");
            awaitLatch(good.off);
        } finally {
            forever.countDown();
            logger.removeHandler(full);
        }
        await().atMost(SOON).until(blocking::isLeading); // on a busy machine perhaps in a later term
    }

    @Test
    void a_listener_of_renewals_that_hangs_keeps_one_thread_over_all_terms() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger terms = new AtomicInteger();
        Candidacy candidacy = tenure.elect("x").perform(leadership -> {
            CountDownLatch renewed = new CountDownLatch(2);
            leadership.onRenewal(renewed::countDown);
            leadership.onRenewal(() -> {
                calls.incrementAndGet();
                hang();
            });
            terms.incrementAndGet();
            untilLost().perform(leadership);
        });

        await().atMost(SOON).until(() -> calls.get() == 1);
        for (int term = 1; term <= 3; term++) {
            int number = term;
            await().atMost(SOON).until(() -> terms.get() == number && candidacy.isLeading());
            candidacy.resign("deploy");
        }
        long renewedBefore = tenure.stats().renewals();
        await().atMost(SOON).until(() -> terms.get() == 4 && tenure.stats().renewals() > renewedBefore + 2);

        assertThat(calls).hasValue(1);
    }

    @Test
    void calls_of_exclusively_whose_listeners_hang_keep_one_thread_together() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        for (int call = 0; call < 4; call++) {
            tenure.exclusively(
                    "x",
                    SOON,
                    leadership -> leadership.onLoss(loss -> {
                        begun.incrementAndGet();
                        hang();
                    }));
        }
        await().atMost(SOON).until(() -> begun.get() == 1);
        forever.countDown();

        await().atMost(SOON).until(() -> begun.get() == 4);
    }

    @Test
    @Timeout(60)
    void code_that_is_chained_to_an_answer_of_the_store_runs_on_no_thread_of_the_engine() throws Exception {
        CountDownLatch chained = new CountDownLatch(1);
        store.fateOfAll("read", Fate.DROP);
        AtomicReference<String> thread = new AtomicReference<>("");
        tenure.leaderOf("x").whenComplete((leader, failure) -> {
            thread.set(Thread.currentThread().getName());
            chained.countDown();
        });

        awaitLatch(chained);

        assertThat(thread.get()).startsWith("tenure-call");
        store.heal();
    }
}
