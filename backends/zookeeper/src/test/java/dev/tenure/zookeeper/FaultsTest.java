package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Proxy;
import dev.tenure.zookeeper.ensemble.Server;
import dev.tenure.zookeeper.session.SessionTimeouts;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real servers that are killed, stopped, emptied and cut off, under candidates that lead and write. */
@Tag("server")
@Timeout(180)
class FaultsTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    /** Where no term may be lost: long enough that a busy machine does not lose one. */
    private static final Duration CALM = Duration.ofSeconds(12);

    private static final Duration SHORT = Duration.ofSeconds(2);

    private static Ensemble ensemble;

    private final String base = "/faults-" + UUID.randomUUID();

    @BeforeAll
    static void startServers() {
        ensemble = Ensemble.start();
    }

    @AfterAll
    static void stopServers() {
        ensemble.close();
    }

    @BeforeEach
    void awaitServers() {
        ensemble.awaitReady();
    }

    private Crowd crowd(Duration ttl) {
        Crowd crowd = new Crowd(ttl);
        for (String node : List.of("a", "b", "c")) {
            crowd.join(node, ensemble.url(base));
        }
        return crowd;
    }

    @Test
    void a_leader_outlives_the_death_of_each_server_in_turn() throws Exception {
        try (Crowd crowd = crowd(CALM)) {
            String leader = crowd.awaitLeader();
            for (Server server : ensemble.servers()) {
                server.kill();
                crowd.awaitProgress();
                server.startAgain();
                ensemble.awaitReady();
            }
            crowd.awaitProgress();

            assertThat(crowd.leader()).contains(leader);
            assertThat(crowd.terms()).isEqualTo(1);
            crowd.assertNeverTwo();
        }
    }

    @Test
    void a_leader_outlives_the_death_of_zookeepers_own_leader() throws Exception {
        try (Crowd crowd = crowd(CALM)) {
            crowd.awaitLeader();
            Server leading = ensemble.leader();

            leading.kill();
            Await.until(
                    "the others have elected one",
                    () -> ensemble.servers().stream()
                            .anyMatch(server ->
                                    server.mode().filter("leader"::equals).isPresent()));
            crowd.awaitProgress();
            leading.startAgain();
            ensemble.awaitReady();
            crowd.awaitProgress();

            assertThat(crowd.terms()).isEqualTo(1);
            crowd.assertNeverTwo();
        }
    }

    @Test
    void a_follower_that_hangs_costs_no_term_the_client_turns_to_another_server() throws Exception {
        Server leading = ensemble.leader();
        try (Crowd crowd = crowd(CALM)) {
            crowd.awaitLeader();
            for (Server server : ensemble.servers()) {
                if (server != leading) {
                    hang(server, crowd, CALM);
                }
            }

            assertThat(crowd.terms()).isEqualTo(1);
            crowd.assertNeverTwo();
        }
    }

    /** Nothing is committed until the followers have given up on it, which can take longer than a term lasts. */
    @Test
    void zookeepers_own_leader_that_hangs_may_cost_a_term_but_never_makes_two_leaders() throws Exception {
        Server leading = ensemble.leader();
        try (Crowd crowd = crowd(TTL)) {
            crowd.awaitLeader();

            hang(leading, crowd, TTL);

            assertThat(crowd.terms()).isLessThanOrEqualTo(2);
            crowd.assertNeverTwo();
        }
    }

    private static void hang(Server server, Crowd crowd, Duration ttl) throws Exception {
        server.stop();
        try {
            crowd.awaitPassed(ttl);
        } finally {
            server.resume();
        }
        ensemble.awaitReady();
        crowd.awaitProgress();
    }

    @Test
    void all_servers_restarted_leave_one_leader_and_growing_tokens() throws Exception {
        try (Crowd crowd = crowd(SHORT)) {
            crowd.awaitLeader();
            crowd.awaitProgress();

            for (Server server : ensemble.servers()) {
                server.kill();
            }
            Await.until("nobody leads without a store", () -> crowd.leader().isEmpty());
            for (Server server : ensemble.servers()) {
                server.startAgain();
            }
            ensemble.awaitReady();
            crowd.awaitLeader();
            crowd.awaitProgress();

            crowd.assertNeverTwo();
        }
    }

    @Test
    void b09_a_namespace_that_was_wiped_has_a_leader_again_with_a_higher_token() throws Exception {
        try (Crowd crowd = crowd(SHORT);
                Operator operator = new Operator(ensemble.addresses())) {
            crowd.awaitLeader();
            crowd.awaitProgress();
            FencingToken before = crowd.newest();

            operator.wipe(base);
            Await.until("a later term", () -> crowd.newest().isNewerThan(before));
            crowd.awaitProgress();

            Await.until(
                    "another store, so a higher era",
                    () -> operator.has(base + "/e") && era(operator.data(base + "/e")) > before.era());
            Await.until(
                    "each stands with one latch",
                    () -> operator.latches(base + "/c/crowd").size() == 3);
            crowd.assertTokensGrow();
        }
    }

    /** Who stands there puts the record back while it is being wiped, so it may be wiped, and the era raised, more than once. */
    private static int era(String record) {
        return Integer.parseInt(record.lines()
                .filter(line -> line.startsWith("era="))
                .findFirst()
                .orElseThrow()
                .substring("era=".length()));
    }

    /** For as long as a session lasts, a tick less, and a tick more. */
    @Test
    void b05_servers_that_do_not_hear_each_other_for_about_a_session_never_make_two_leaders() throws Exception {
        Duration session = Duration.ofMillis(new SessionTimeouts(Ensemble.TICK).timeoutMillis(SHORT));
        try (Crowd crowd = crowd(SHORT)) {
            crowd.awaitLeader();
            for (Duration apart : List.of(session.minus(Ensemble.TICK), session, session.plus(Ensemble.TICK))) {
                crowd.awaitProgress();
                Server leading = ensemble.leader();
                List<Server> others = ensemble.servers().stream()
                        .filter(server -> server != leading)
                        .toList();
                for (Server other : others) {
                    other.stop();
                }
                long byNanos = System.nanoTime() + apart.toNanos();
                Await.until("so long", () -> System.nanoTime() - byNanos > 0);
                for (Server other : others) {
                    other.resume();
                }
                ensemble.awaitReady();
            }
            crowd.awaitProgress();

            crowd.assertNeverTwo();
        }
    }

    @Test
    void b15_a_leader_that_is_cut_off_has_stopped_before_its_successor_begins() throws Exception {
        for (Proxy.State trouble : List.of(Proxy.State.CUT, Proxy.State.DEAF, Proxy.State.MUTE, Proxy.State.LATE)) {
            try (Proxy proxy = new Proxy(ensemble.servers().get(0));
                    Crowd crowd = new Crowd(SHORT)) {
                crowd.join("cut off", "zk://" + proxy.address() + base + "?tick=200ms");
                crowd.awaitLeader();
                crowd.join("next", ensemble.url(base));
                crowd.awaitProgress();

                proxy.become(trouble);
                Await.until(
                        "the next leads",
                        () -> crowd.leader().filter("next"::equals).isPresent());
                crowd.awaitProgress();
                proxy.become(Proxy.State.UP);
                crowd.awaitProgress();

                crowd.assertNeverTwo();
                assertThat(crowd.terms()).isEqualTo(2);
            }
        }
    }

    /** As an operator does who closes it, or as a server that was told a wrong time. */
    @Test
    void a_session_that_is_revoked_by_hand_ends_the_term_and_somebody_leads_again() throws Exception {
        try (Crowd crowd = crowd(TTL);
                Operator operator = new Operator(ensemble.addresses())) {
            crowd.awaitLeader();
            crowd.awaitProgress();
            FencingToken before = crowd.newest();
            String path = base + "/c/crowd";
            String latch = path + "/" + operator.latches(path).get(0);

            Operator.endSession(
                    ensemble.addresses(), operator.client().exists(latch, false).getEphemeralOwner());
            Await.until("a later term", () -> crowd.newest().isNewerThan(before));
            crowd.awaitProgress();

            assertThat(crowd.sessionsLost())
                    .singleElement()
                    .asString()
                    .as("told by the servers, not found out by its own deadline")
                    .startsWith("ZooKeeper has ended the session");
            assertThat(operator.latches(path)).hasSize(3);
            crowd.assertTokensGrow();
        }
    }
}
