package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Candidacy;
import dev.tenure.Tenure;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendUrl;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What went wrong elsewhere with the same store, with the whole engine above it. Numbers as in {@link PeerBugsTest}. */
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
        Tenure tenure = Tenure.connect(Ensemble.shared().url(base)).ttl(ttl).open();
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

    private static long requests() {
        return Ensemble.shared().servers().stream()
                .mapToLong(server -> server.counter("zk_packets_received"))
                .sum();
    }

    @Test
    void b08_a_leader_that_closes_in_its_own_duty_is_followed_by_the_next_in_a_few_requests() throws Exception {
        CompletableFuture<Candidacy> self = new CompletableFuture<>();
        CompletableFuture<Boolean> mayClose = new CompletableFuture<>();
        Candidacy first = tenure(LONG).elect("e").perform(leadership -> {
            mayClose.join();
            self.join().close();
        });
        awaitStanding(1);
        Candidacy second = stand(tenure(LONG));
        awaitStanding(2);
        Candidacy third = stand(tenure(LONG));
        awaitStanding(3);
        long before = requests();

        mayClose.complete(true);
        self.complete(first);
        Await.until("the second leads", second::isLeading);

        assertThat(requests() - before).isLessThanOrEqualTo(REQUESTS_MAX);
        assertThat(third.isLeading()).isFalse();
        awaitStanding(2);
    }

    @Test
    void b11_whatever_the_store_throws_the_loop_lives_and_no_latch_is_orphaned() throws Exception {
        Gremlin gremlin = new Gremlin();
        SystemHost host = SystemHost.start("gremlin");
        Backend backend = (Backend) new ZooKeeperProvider()
                .connect(BackendUrl.parse(Ensemble.shared().url(base)), host);
        Tenure haunted =
                Tenure.using(gremlin.around(backend)).host(host).ttl(SHORT).open();
        Candidacy candidacy = stand(haunted);

        Await.until("everything went wrong once", () -> {
            if (candidacy.isLeading()) {
                candidacy.resign("to see releases fail too");
            }
            return gremlin.isDone();
        });
        Await.until("it leads all the same", candidacy::isLeading);
        assertThat(operator.latches(path)).hasSize(1);
        haunted.close();

        Await.until("nothing is left", () -> operator.latches(path).isEmpty());
        Candidacy next = stand(tenure(SHORT));
        Await.until("the next leads", next::isLeading);
    }

    @Test
    void b12_resigning_twice_at_any_step_leaves_a_candidate_that_still_stands() throws Exception {
        Candidacy one = stand(tenure(SHORT));
        Candidacy two = stand(tenure(SHORT));
        for (int round = 0; round < ROUNDS; round++) {
            Await.until("somebody leads", () -> one.isLeading() || two.isLeading());
            Candidacy leader = one.isLeading() ? one : two;
            Candidacy other = leader == one ? two : one;

            leader.resign("once");
            leader.resign("twice, while it drains or releases");
            other.resign("while it waits, or as soon as it leads");
            other.resign("again");
        }

        awaitStanding(2);
        Await.until("somebody leads", () -> one.isLeading() || two.isLeading());
        Candidacy last = one.isLeading() ? one : two;
        Candidacy next = last == one ? two : one;
        last.resign("for the other");
        Await.until("the other leads", next::isLeading);
        next.resign("and back");
        Await.until("and back", last::isLeading);
    }
}
