// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Candidacy;
import dev.tenure.Standing;
import dev.tenure.Tenure;
import dev.tenure.Term;
import dev.tenure.contract.FaultyBackend;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendUrl;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What went wrong elsewhere with the same store, with the whole engine above it. Numbers as in {@link PeerBugsTest}. */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class PeerBugsInTheLoopTest {
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int REQUESTS_MAX = 20;
    private static final int ROUNDS = 6;

    private final String base = "/loop-" + UUID.randomUUID();
    private final String path = base + "/c/e";
    private final List<AutoCloseable> open = new ArrayList<>();
    private Operator operator;

    @BeforeEach
    void connect() throws Exception {
        operator = new Operator();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        operator.close();
    }

    private Tenure tenure(Duration ttl) {
        return tenure(Ensemble.shared().url(base), ttl);
    }

    private Tenure tenure(String url, Duration ttl) {
        Tenure tenure = Tenure.connect(url).ttl(ttl).open();
        open.add(tenure);
        return tenure;
    }

    private Tenure haunted(FaultyBackend faultyBackend, Duration ttl) {
        SystemHost host = SystemHost.start("gremlin");
        Backend backend = (Backend) new ZooKeeperProvider()
                .connect(BackendUrl.parse(Ensemble.shared().url(base)), host);
        Tenure tenure =
                Tenure.using(faultyBackend.around(backend)).host(host).ttl(ttl).open();
        open.add(tenure);
        return tenure;
    }

    private static Candidacy stand(Tenure tenure) {
        return tenure.elect("e").perform(leadership -> {
            while (leadership.isActive()) {
                leadership.rest(Duration.ofMillis(10));
            }
        });
    }

    private void awaitStanding(int candidates) throws Exception {
        Await.until("they stand", () -> operator.latches(path).size() == candidates);
    }

    /** Counted at a proxy of this test's own: other tests use the same servers meanwhile. */
    @Test
    void b08_a_leader_that_closes_in_its_own_duty_is_followed_by_the_next_in_a_few_requests() throws Exception {
        CompletableFuture<Candidacy> self = new CompletableFuture<>();
        CompletableFuture<Boolean> mayClose = new CompletableFuture<>();
        ZooKeeperProxy proxy = new ZooKeeperProxy(Ensemble.shared().servers().get(0));
        String url = "zk://" + proxy.address() + base + "?tick=200ms";
        Candidacy first = tenure(url, LONG).elect("e").perform(leadership -> {
            mayClose.join();
            self.join().close();
        });
        awaitStanding(1);
        Candidacy second = stand(tenure(url, LONG));
        awaitStanding(2);
        Candidacy third = stand(tenure(url, LONG));
        awaitStanding(3);
        open.add(proxy);
        long before = proxy.requests();

        mayClose.complete(true);
        self.complete(first);
        Await.until("the second leads", second::isLeading);

        assertThat(proxy.requests() - before).isPositive().isLessThanOrEqualTo(REQUESTS_MAX);
        assertThat(third.isLeading()).isFalse();
        awaitStanding(2);
    }

    @Test
    void b11_whatever_the_store_throws_the_loop_lives_and_no_latch_is_orphaned() throws Exception {
        FaultyBackend faultyBackend = new FaultyBackend("open", "renew", "claim", "release");
        Tenure haunted = haunted(faultyBackend, SHORT);
        Candidacy candidacy = stand(haunted);

        Await.until("everything went wrong once", () -> {
            if (candidacy.isLeading()) {
                candidacy.resign("to see releases fail too");
            }
            return faultyBackend.isDone();
        });
        Await.until("it leads all the same", candidacy::isLeading);
        assertThat(operator.latches(path)).hasSize(1);
        haunted.close();

        Await.until("nothing is left", () -> operator.latches(path).isEmpty());
        Candidacy next = stand(tenure(SHORT));
        Await.until("the next leads", next::isLeading);
    }

    /** A leader whose latch is touched asks whether it still holds: no answer is no loss, and it goes on asking. */
    @Test
    void b11_a_question_that_fails_costs_no_term_and_the_next_one_is_asked_all_the_same() throws Exception {
        FaultyBackend faultyBackend = new FaultyBackend("holds");
        Candidacy leader = stand(haunted(faultyBackend, LONG));
        Await.until("it leads", leader::isLeading);
        Term term = leader.term().orElseThrow();
        String latch = path + "/" + operator.latches(path).get(0);

        Await.until("every question went wrong", () -> {
            assertThat(leader.term()).as("no answer is no loss").contains(term);
            operator.touch(latch);
            return faultyBackend.isDone();
        });
        assertThat(leader.term()).contains(term);
        operator.remove(latch);

        Await.until(
                "the loss is noticed, and it leads anew",
                () -> leader.term()
                        .filter(now -> now.token().isNewerThan(term.token()))
                        .isPresent());
    }

    /** Its term ends, it stands back, asks again and waits: at each of these steps it is told to resign, and told again. */
    @Test
    void b12_resigning_again_and_again_at_every_step_leaves_a_candidate_that_still_stands() throws Exception {
        Candidacy one = stand(tenure(SHORT));
        Candidacy two = stand(tenure(SHORT));
        for (int round = 0; round < ROUNDS; round++) {
            Await.until("somebody leads", () -> one.isLeading() || two.isLeading());
            Candidacy leader = one.isLeading() ? one : two;
            Candidacy other = leader == one ? two : one;
            awaitStanding(2);

            other.resign("from waiting");
            try (Nagging nagging = new Nagging(leader)) {
                Await.until("the other leads", other::isLeading);
                awaitStanding(2);
            }

            assertThat(leader.standing()).isInstanceOf(Standing.Standby.class);
        }
    }

    /** Tells a candidate to resign, all the time. */
    private static final class Nagging implements AutoCloseable {
        private final Candidacy candidate;
        private final CompletableFuture<Void> done;
        private volatile boolean over;

        Nagging(Candidacy candidate) {
            this.candidate = candidate;
            this.done = CompletableFuture.runAsync(this::nag);
        }

        private void nag() {
            while (!over) {
                candidate.resign("once more");
                LockSupport.parkNanos(100_000);
            }
        }

        @Override
        public void close() {
            over = true;
            done.join();
        }
    }
}
