// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Candidacy;
import dev.tenure.Leader;
import dev.tenure.TenureEvent;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A latch that somebody made by hand, with no session behind it, does not go by itself. */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
class StuckHolderTest {
    private static final Duration TTL = Duration.ofSeconds(3);

    private final String base = "/stuck-" + UUID.randomUUID();
    private final String election = base + "/c/e";
    private Operator operator;

    @BeforeEach
    void connect() throws Exception {
        operator = new Operator();
    }

    @AfterEach
    void close() throws Exception {
        operator.wipe(base);
        operator.close();
    }

    private Node node() {
        return new Node(Ensemble.shared().url(base), TTL);
    }

    private void makeElection() throws Exception {
        operator.create(base, "");
        operator.create(base + "/c", "");
        operator.create(election, "");
    }

    private String makeByHand(CreateMode mode) throws Exception {
        return operator.client()
                .create(
                        election + "/_c_" + UUID.randomUUID() + "-latch-",
                        "by-hand".getBytes(),
                        ZooDefs.Ids.OPEN_ACL_UNSAFE,
                        mode);
    }

    private static List<String> told(Node node) {
        return node.told.stream()
                .filter(TenureEvent.StoreError.class::isInstance)
                .map(event -> ((TenureEvent.StoreError) event).problem())
                .filter(problem -> problem.startsWith("STUCK_HOLDER"))
                .toList();
    }

    @Test
    void candidates_say_once_in_a_session_that_it_does_not_go_and_what_to_do_and_lead_when_that_is_done()
            throws Exception {
        makeElection();
        String latch = makeByHand(CreateMode.PERSISTENT_SEQUENTIAL);
        try (Node first = node();
                Node second = node()) {
            List<Candidacy> candidacies = List.of(first.stand("e"), second.stand("e"));

            Await.until(
                    "both say so", () -> !told(first).isEmpty() && !told(second).isEmpty());
            first.live(second);

            assertThat(told(first))
                    .hasSizeLessThanOrEqualTo((int) first.sessions())
                    .allSatisfy(problem -> assertThat(problem).contains(latch, "no session", "delete '" + latch + "'"));
            assertThat(told(second)).hasSizeLessThanOrEqualTo((int) second.sessions());
            assertThat(candidacies).noneMatch(Candidacy::isLeading);
            operator.remove(latch);
            Await.until("one of them leads", () -> candidacies.stream().anyMatch(Candidacy::isLeading));
        }
    }

    @Test
    void it_is_told_too_when_it_comes_to_the_front_later() throws Exception {
        try (Node leader = node();
                Node waiting = node()) {
            Candidacy leads = leader.stand("e");
            Await.until("the first leads", leads::isLeading);
            String latch = makeByHand(CreateMode.PERSISTENT_SEQUENTIAL);
            waiting.stand("e");
            Await.until("the other waits", () -> operator.latches(election).size() == 3);
            assertThat(told(waiting)).isEmpty();

            leads.close();

            Await.until("it is told", () -> !told(waiting).isEmpty());
            assertThat(told(waiting)).singleElement().asString().contains(latch);
        }
    }

    @Test
    void a_candidate_with_a_session_is_not_called_stuck() throws Exception {
        makeElection();
        makeByHand(CreateMode.EPHEMERAL_SEQUENTIAL);
        try (Node waiting = node()) {
            waiting.stand("e");
            waiting.live();

            assertThat(told(waiting)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PERSISTENT_SEQUENTIAL", "EPHEMERAL_SEQUENTIAL"})
    void observers_see_that_it_is_foreign_and_whether_it_goes_by_itself(CreateMode mode) throws Exception {
        makeElection();
        String latch = makeByHand(mode);
        try (Node observer = node()) {
            Leader seen = observer.tenure
                    .leaderOf("e")
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS)
                    .orElseThrow();

            assertThat(seen.node()).isEqualTo("by-hand");
            assertThat(seen.foreign().orElseThrow().stuck()).isEqualTo(mode == CreateMode.PERSISTENT_SEQUENTIAL);
            assertThat(seen.foreign().orElseThrow().remedy())
                    .contains(mode == CreateMode.PERSISTENT_SEQUENTIAL ? "delete '" + latch + "'" : "stop its process");
        }
    }
}
