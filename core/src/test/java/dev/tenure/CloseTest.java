// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.fakes.Quiet;
import dev.tenure.fakes.Scene;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.internal.runtime.LogLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leaving: everything drains, everything is released, and it never takes for ever. */
class CloseTest {
    static {
        Quiet.logs();
    }

    private final Scene scene = new Scene();
    private final ManualHost host = scene.host;
    private final MemoryStore store = scene.store;
    private final Tenure a = scene.client("a");

    @Test
    void closing_drains_releases_and_retires_everything_and_removes_the_session() {
        Candidacy x = a.elect("x").perform(untilLost());
        Candidacy y = a.elect("y").perform(untilLost());
        host.settle();
        assertThat(x.isLeading() && y.isLeading()).isTrue();

        a.close();

        assertThat(x.standing()).isEqualTo(new Standing.Retired(new Loss.Closed()));
        assertThat(x.retired().toCompletableFuture().join()).isEqualTo(new Loss.Closed());
        assertThat(store.keys("s/")).isEmpty();
        assertThat(store.peek("c/x").value()).contains("state=VACANT");
        assertThat(store.peek("c/y").value()).contains("state=VACANT");
        assertThat(host.dutiesRunning()).isZero();
        assertThat(store.closes()).isEqualTo(1);
        assertThat(host.isShutDown()).isTrue();
    }

    @Test
    void after_closing_nothing_is_written_or_told_any_more() {
        a.elect("x").perform(untilLost());
        host.settle();
        a.close();
        store.calls();
        int told = scene.events().size();

        host.advance(Duration.ofMinutes(10));

        assertThat(store.calls()).isEmpty();
        assertThat(scene.events()).hasSize(told);
        assertThat(store.watches()).isZero();
    }

    @Test
    @Timeout(60)
    void who_waits_for_a_candidacy_that_was_closed_is_told_at_once() throws InterruptedException {
        SystemHost clock = SystemHost.start("close-clock");
        Tenure tenure = Tenure.using(new MemoryStore(clock)).node("n").open();
        Candidacy candidacy = tenure.elect("x").perform(untilLost());
        tenure.close();

        boolean leads = candidacy.awaitLeading(Duration.ofHours(1));

        assertThat(leads).isFalse();
        clock.shutdown();
    }

    /** Its own drain interrupts a duty that closes its client, in the middle of close(). */
    @Test
    void a_duty_that_closes_its_client_leaves_no_authority_behind() {
        AtomicReference<Leadership> other = new AtomicReference<>();
        List<Boolean> validAfterwards = new ArrayList<>();
        a.elect("slow").perform(leadership -> {
            other.set(leadership);
            host.signal().await(Duration.ofHours(1).toNanos());
        });
        a.elect("closing").perform(leadership -> {
            leadership.rest(Duration.ofSeconds(1));
            a.close();
            validAfterwards.add(other.get().isValid());
        });

        host.advance(Duration.ofMinutes(1));

        assertThat(validAfterwards).containsExactly(false);
    }

    @Test
    void closing_twice_is_closing_once() {
        a.close();
        a.close();

        assertThat(store.closes()).isEqualTo(1);
    }

    @Test
    void a_closed_client_refuses_and_answers_at_once() {
        a.close();
        long before = host.nanos();

        assertThatThrownBy(() -> a.elect("x").perform(untilLost()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(a.stats()).isEqualTo(Stats.NONE);
        assertThat(a.leaderOf("x").toCompletableFuture()).isCompletedExceptionally();
        assertThat(a.elections().toCompletableFuture()).isCompletedExceptionally();
        assertThat(a.era().toCompletableFuture()).isCompletedExceptionally();
        assertThat(a.raiseEra().toCompletableFuture()).isCompletedExceptionally();
        assertThat(a.askToResign("x").toCompletableFuture()).isCompletedExceptionally();
        assertThat(host.nanos()).isEqualTo(before);
    }

    @Test
    void closing_is_bounded_even_if_the_store_hangs() {
        a.elect("x").perform(untilLost());
        host.settle();
        store.fateOfAll("", Fate.DROP);
        long before = host.nanos();

        a.close();

        assertThat(Duration.ofNanos(host.nanos() - before)).isLessThanOrEqualTo(Duration.ofMillis(7500));
    }

    @Test
    void releases_that_are_not_confirmed_in_time_are_told_in_one_line_and_end_with_the_session() throws Exception {
        for (int i = 0; i < 100; i++) {
            a.elect("e" + i).perform(untilLost());
        }
        host.settle();
        store.fateOfAll("set c/", Fate.DROP);

        List<String> lines = LogLines.of("dev.tenure", a::close);

        assertThat(lines).filteredOn(line -> line.contains("still run")).isEmpty();
        assertThat(lines)
                .filteredOn(line -> line.contains("confirmed the release"))
                .singleElement()
                .asString()
                .contains("and 95 others");
        assertThat(store.keys("s/")).isEmpty();
    }

    @Test
    void a_candidacy_is_closed_in_every_standing() {
        store.fateOfAll("set s/", Fate.DROP);
        Candidacy withoutSession = a.elect("x").perform(untilLost());
        host.settle();
        withoutSession.close();
        assertThat(withoutSession.standing()).isEqualTo(new Standing.Retired(new Loss.Closed()));
        store.heal();

        Tenure b = scene.client("b");
        b.elect("y").perform(untilLost());
        host.advance(Duration.ofSeconds(5));
        Candidacy waiting = a.elect("y").perform(untilLost());
        host.advance(Duration.ofSeconds(20));
        waiting.close();

        assertThat(waiting.standing()).isEqualTo(new Standing.Retired(new Loss.Closed()));
        assertThat(store.peek("c/y").value()).contains("state=HELD");
    }

    @Test
    void a_candidacy_that_is_closed_before_it_stood_never_stands() {
        Candidacy candidacy = a.elect("x").perform(untilLost());

        candidacy.close();
        host.advance(Duration.ofMinutes(1));

        assertThat(candidacy.standing()).isEqualTo(new Standing.Retired(new Loss.Closed()));
        assertThat(scene.events(TenureEvent.Elected.class)).isEmpty();
    }

    @Test
    void closing_in_the_duty_itself_does_not_hang() {
        CompletableFuture<Candidacy> self = new CompletableFuture<>();
        Candidacy candidacy = a.elect("x").perform(leadership -> self.join().close());
        self.complete(candidacy);

        host.advance(Duration.ofMinutes(1));

        assertThat(candidacy.retired().toCompletableFuture()).isDone();
    }

    @Test
    @Timeout(60)
    void a_stuck_duty_does_not_hold_up_closing_in_real_time_and_is_named() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch forever = new CountDownLatch(1);
        SystemHost clock = SystemHost.start("close-clock");
        Tenure tenure = Tenure.using(new MemoryStore(clock))
                .node("n")
                .ttl(Duration.ofSeconds(1))
                .open();
        tenure.elect("stuck/one").perform(leadership -> {
            begun.countDown();
            while (forever.getCount() > 0) {
                try {
                    forever.await();
                } catch (InterruptedException deaf) {
                    // that is what makes it stuck
                }
            }
        });
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        long before = System.nanoTime();

        List<String> lines = LogLines.of("dev.tenure", tenure::close);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(25));
        assertThat(lines).anyMatch(line -> line.contains("stuck/one") && line.contains("still run"));
        forever.countDown();
        clock.shutdown();
    }
}
