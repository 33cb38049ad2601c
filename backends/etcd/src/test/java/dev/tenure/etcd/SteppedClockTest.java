// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Tenure;
import dev.tenure.Term;
import dev.tenure.etcd.cluster.EtcdNode;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.testing.InMemoryFence;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody sets the wall clocks of the servers while leases are counted (etcd#12291). */
@Tag("server")
@EnabledOnOs(architectures = "amd64", disabledReason = "the clock of a Go program is moved on x86-64 only")
class SteppedClockTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final Duration SOON = Duration.ofSeconds(60);
    /** What the page says for a holder that died, and room for a slow machine. */
    private static final Duration BOUND = TTL.plusMillis(500).plusSeconds(20);

    /** Of a leader that must lead on while the servers' memory is searched for their clocks. */
    private static final Duration LONG_TTL = Duration.ofSeconds(8);

    private static final int HEARTBEATS = 8;

    private EtcdCluster cluster;

    @BeforeEach
    void start() {
        cluster = EtcdCluster.start(EtcdServers.NEWEST, 3);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    /** @param living renews its session, so that a slow machine does not end it meanwhile */
    private void stepClocks(Duration step, Runnable living) {
        for (EtcdNode node : cluster.nodes()) {
            living.run();
            node.moveClock(step);
            assertThat(Duration.between(Instant.now(), cluster.timeAt(node)))
                    .as("the clock was really moved")
                    .isBetween(step.minusMinutes(5), step.plusMinutes(5));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void b32_a_leader_leads_on_and_writes_when_the_servers_clocks_are_moved(int hours) throws Exception {
        InMemoryFence ledger = new InMemoryFence("ledger");
        try (Tenure tenure =
                        Tenure.connect(cluster.url("stepped")).ttl(LONG_TTL).open();
                Tenure other =
                        Tenure.connect(cluster.url("stepped")).ttl(LONG_TTL).open()) {
            Candidacy leader = stand(tenure, ledger);
            assertThat(leader.awaitLeading(SOON)).isTrue();
            Term term = leader.term().orElseThrow();
            Candidacy waiting = stand(other, ledger);

            stepClocks(Duration.ofHours(hours), () -> {});
            long renewals = tenure.stats().renewals();
            await().atMost(SOON).until(() -> tenure.stats().renewals() >= renewals + HEARTBEATS);

            assertThat(leader.term()).contains(term);
            assertThat(waiting.isLeading()).isFalse();
            assertThat(ledger.accepted()).isNotEmpty().allMatch(term::equals);
        }
    }

    private static Candidacy stand(Tenure tenure, InMemoryFence ledger) {
        return tenure.elect(ELECTION.value()).fencedBy(ledger).perform(leadership -> {
            while (leadership.isActive()) {
                ledger.write(leadership, () -> {});
                leadership.rest(Duration.ofMillis(100));
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void b32_a_dead_holder_is_followed_after_its_ttl_and_within_the_bound_whatever_the_servers_clocks_say(int hours) {
        try (Client dead = new Client(cluster.url("stepped"));
                Client living = new Client(cluster.url("stepped"))) {
            Client.Seat successor = living.open(TTL);
            long grantedNanos = System.nanoTime();
            ClaimReply.Granted held = dead.open(TTL).take(ELECTION); // and nobody renews it
            Nonce place = successor.queue(ELECTION);

            stepClocks(Duration.ofHours(hours), () -> renew(successor));

            await().atMost(BOUND).pollInterval(TTL.dividedBy(10)).until(() -> {
                renew(successor);
                return successor.pushed(place).isPresent();
            });
            Duration passed = Duration.ofNanos(System.nanoTime() - grantedNanos);
            assertThat(passed).isBetween(TTL, BOUND);
            assertThat(successor.pushed(place).orElseThrow().token()).isGreaterThan(held.token());
        }
    }

    private static void renew(Client.Seat seat) {
        assertThat(seat.renew()).isInstanceOf(RenewReply.Renewed.class);
    }
}
