// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Leadership;
import dev.tenure.Tenure;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.Stages;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are lost, come back empty, or were never enough. */
@Tag("server")
class RedlockTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    private Tenure open(LockServers three) {
        return Tenure.connect(three.url("ledger", folder))
                .ttl(TTL)
                .acknowledgeBestEffort()
                .open();
    }

    private static BlockingQueue<Leadership> standing(Tenure tenure) {
        BlockingQueue<Leadership> led = new LinkedBlockingQueue<>();
        tenure.elect("ledger").perform(leadership -> {
            led.add(leadership);
            leadership.rest(Duration.ofMinutes(10));
        });
        return led;
    }

    private static Leadership next(BlockingQueue<Leadership> led) throws InterruptedException {
        Leadership next = led.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(next).as("elected within a minute").isNotNull();
        return next;
    }

    @Test
    void a_term_outlives_one_server_and_ends_without_a_second_one() throws Exception {
        try (LockServers three = LockServers.running(folder);
                Tenure one = open(three)) {
            Leadership first = next(standing(one));

            three.server(0).kill();
            long untilNanos = System.nanoTime() + TTL.multipliedBy(2).toNanos();
            Awaitility.await("two TTLs").atMost(PATIENCE).until(() -> System.nanoTime() - untilNanos > 0);
            boolean outlived = first.isValid();
            try (Tenure two = open(three)) {
                BlockingQueue<Leadership> led = standing(two);
                one.close();
                assertThat(next(led).token()).isGreaterThan(first.token());
                three.server(1).kill();
                Awaitility.await("the end of the term")
                        .atMost(PATIENCE)
                        .until(() -> two.stats().leading() == 0);
            }

            assertThat(outlived).as("two of three servers are a majority").isTrue();
        }
    }

    @Test
    void a_server_that_stands_still_keeps_no_call_to_the_others_waiting() throws Exception {
        Host host = SystemHost.start("test");
        try (LockServers three = LockServers.running(folder);
                LeaseStore store = new RedlockProvider()
                        .connect(
                                BackendUrl.parse(three.url(folder.resolve("still")) + "&timeout=60s&restart.pause=2s"),
                                host)) {
            long clockMillis = store.read("c/ledger")
                    .toCompletableFuture()
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .clockMillis();
            three.server(2).freeze();
            for (int i = 0; i < 10; i++) {
                Stages.ignore("a read that one server does not answer", store.read("c/ledger"));
            }

            Write renewal = new Write(Versioned.absent("s/one", clockMillis), "session", Optional.of(TTL), 0);
            WriteReply reply =
                    store.compareAndSet(renewal).toCompletableFuture().get(30, TimeUnit.SECONDS);

            assertThat(reply).isInstanceOf(WriteReply.Applied.class);
        } finally {
            host.shutdown();
        }
    }

    /** As another client left it that could not reach the first server. */
    private static void writtenByAnother(LockServers three, String prefix) {
        String record = "7fffffffffffffff0000000000000000 0 another";
        for (int i = 1; i <= 2; i++) {
            three.server(i).ask(client -> client.hset("{" + prefix + "}:c", "c/ledger", record));
        }
    }

    private static WriteReply claim(LeaseStore store, Versioned absent) throws Exception {
        try {
            return store.compareAndSet(new Write(absent, "claim", Optional.empty(), 1))
                    .toCompletableFuture()
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            throw failure.getCause() instanceof BackendException known ? known : failure;
        }
    }

    private static void assertUnknown(LeaseStore store, Versioned absent) {
        assertThatThrownBy(() -> claim(store, absent))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(BackendException.Effect.UNKNOWN));
    }

    @Test
    void a_refusal_is_unknown_while_a_server_that_did_not_answer_may_have_made_the_change() throws Exception {
        Host host = SystemHost.start("test");
        try (LockServers three = LockServers.running(folder);
                LeaseStore store = new RedlockProvider().connect(BackendUrl.parse(three.url("doubt", folder)), host)) {
            Versioned absent = store.read("c/ledger").toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            three.server(0).freeze();

            writtenByAnother(three, "doubt");

            assertUnknown(store, absent);
            assertThat(claim(store, absent))
                    .as("the one that is silent is not asked first any more")
                    .isInstanceOf(WriteReply.Refused.class);
        } finally {
            host.shutdown();
        }
    }

    @Test
    void a_place_that_cannot_work_is_refused_with_a_sentence() {
        assertThatThrownBy(() -> connect("redlock://a,b,c")).hasMessageContaining("add ?tokens=URL");
        assertThatThrownBy(() -> connect("redlock://a,b?tokens=local:/tmp/x"))
                .hasMessageContaining("odd number of servers");
        assertThatThrownBy(() -> connect("redlock://a,b,c?replicas=1&tokens=local:/tmp/x"))
                .hasMessageContaining("unknown option 'replicas'");
        assertThatThrownBy(() -> connect("redlock://a,b,c?tokens=redis://d"))
                .hasMessageContaining("tokens cannot be drawn from");
    }

    private static void connect(String url) {
        Host host = SystemHost.start("test");
        try {
            new RedlockProvider().connect(BackendUrl.parse(url), host).close();
        } finally {
            host.shutdown();
        }
    }
}
