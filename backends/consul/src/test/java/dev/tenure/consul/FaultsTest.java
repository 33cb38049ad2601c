// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.consul.servers.ConsulCluster;
import dev.tenure.consul.servers.ConsulNode;
import dev.tenure.testing.InMemoryFence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Faults of a real cluster, with two candidates that write to a fenced ledger all the while. */
@Tag("server")
class FaultsTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(30);

    private final ConsulCluster cluster = ConsulCluster.start(3, "");
    private final List<Tenure> tenures = new ArrayList<>();
    private final List<Candidacy> candidacies = new ArrayList<>();
    private final InMemoryFence ledger = new InMemoryFence("ledger");
    private final AtomicLong lastToken = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final AtomicInteger violations = new AtomicInteger();
    private final Set<String> believers = ConcurrentHashMap.newKeySet();

    @AfterEach
    void stop() {
        tenures.forEach(Tenure::close);
        cluster.close();
    }

    private void stand() {
        for (String node : List.of("one", "two")) {
            Tenure tenure =
                    Tenure.connect(cluster.url("faults")).node(node).ttl(TTL).open();
            tenures.add(tenure);
            candidacies.add(tenure.elect("sweeper").fencedBy(ledger).perform(leadership -> {
                while (leadership.isActive()) {
                    believers.add(node);
                    if (believers.size() > 1 && leadership.isValid()) {
                        violations.incrementAndGet();
                    }
                    try {
                        ledger.write(leadership.term(), () -> {
                            long token = leadership.token().value();
                            violations.addAndGet(lastToken.getAndSet(token) > token ? 1 : 0);
                            written.incrementAndGet();
                        });
                    } catch (StaleTokenException stale) {
                        leadership.fenced(stale.seen());
                    } finally {
                        believers.remove(node);
                    }
                    leadership.rest(Duration.ofMillis(5));
                }
            }));
        }
        awaitWrites("at first");
    }

    private void awaitWrites(String when) {
        long before = written.get();
        await("one leads " + when)
                .atMost(SOON)
                .until(() -> written.get() > before + 20
                        && candidacies.stream().filter(Candidacy::isLeading).count() == 1);
    }

    @Test
    void one_leads_through_the_death_of_the_servers_leader_and_the_loss_of_the_majority() {
        stand();

        ConsulNode leader = cluster.leader();
        leader.kill();
        awaitWrites("after the death of the servers' leader");
        ConsulNode second = cluster.nodes().stream()
                .filter(ConsulNode::isRunning)
                .findFirst()
                .orElseThrow();
        second.kill();
        await("nobody leads without a majority")
                .atMost(SOON)
                .until(() -> candidacies.stream().noneMatch(Candidacy::isLeading));
        leader.start();
        second.start();
        cluster.awaitReady();
        awaitWrites("when the majority is back");

        assertThat(violations).hasValue(0);
    }

    @Test
    void a_term_outlives_a_server_that_is_alive_and_silent() throws Exception {
        ConsulNode leader = cluster.leader();
        List<ConsulNode> nodes = new ArrayList<>(cluster.nodes());
        nodes.sort(Comparator.comparing(node -> node == leader)); // a follower comes first, and is asked
        String endpoints = nodes.stream().map(ConsulNode::endpoint).collect(Collectors.joining(","));
        BlockingQueue<Leadership> led = new LinkedBlockingQueue<>();
        try (Tenure tenure = Tenure.connect("consul://" + endpoints + "/silent")
                .ttl(TTL.multipliedBy(3))
                .open()) {
            tenure.elect("sweeper").perform(leadership -> {
                led.add(leadership);
                leadership.rest(Duration.ofMinutes(5));
            });
            Leadership term = led.poll(30, TimeUnit.SECONDS);
            assertThat(term).isNotNull();

            nodes.get(0).stop();
            try {
                long before = tenure.stats().renewals();
                await("renewals for more than a TTL")
                        .atMost(SOON)
                        .until(() -> tenure.stats().renewals() >= before + 5);

                assertThat(term.isValid()).isTrue();
            } finally {
                nodes.get(0).goOn();
            }
        }
    }

    @Test
    void the_era_rises_when_the_indexes_of_the_store_begin_anew() {
        stand();
        long before = lastToken.get();

        cluster.rebuild();
        await("a term above all before").atMost(SOON).until(() -> lastToken.get() > before);
        awaitWrites("in a store that was rebuilt");

        assertThat(violations).hasValue(0);
    }
}
