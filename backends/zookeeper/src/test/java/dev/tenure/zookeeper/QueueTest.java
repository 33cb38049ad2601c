// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many wait, and the end of one latch wakes one of them. */
@Tag("server")
class QueueTest {
    private static final ElectionName ELECTION = ElectionName.of("e");
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final int CANDIDATES = 6;

    private final String base = "/queue-" + UUID.randomUUID();
    private final List<Actor> queue = new ArrayList<>();

    @AfterEach
    void closeAll() {
        queue.forEach(Actor::close);
    }

    private ClaimReply join() throws Exception {
        Actor actor = opened(TTL);
        return actor.claim(ELECTION, actor.nonce());
    }

    private Actor opened(Duration ttl) throws Exception {
        Actor actor = Actor.open(Ensemble.shared().url(base), ttl);
        queue.add(actor);
        return actor;
    }

    /** The sessions that a change of this znode would be told to, as the servers know them. */
    private static Set<String> watchersOf(String path) {
        Set<String> sessions = new HashSet<>();
        for (Server server : Ensemble.shared().servers()) {
            server.ask("wchp")
                    .lines()
                    .dropWhile(line -> !line.equals(path))
                    .skip(1)
                    .takeWhile(line -> line.startsWith("\t"))
                    .forEach(line -> sessions.add(line.strip()));
        }
        return sessions;
    }

    @Test
    void each_latch_is_watched_by_its_owner_and_the_one_behind_it_and_by_nobody_else() throws Exception {
        try (Operator operator = new Operator()) {
            for (int i = 0; i < CANDIDATES; i++) {
                join();
            }
            List<String> latches = operator.latches(base + "/c/e");

            for (int i = 0; i < CANDIDATES; i++) {
                String latch = base + "/c/e/" + latches.get(i);
                Set<String> expected = new HashSet<>();
                queue.subList(i, Math.min(i + 2, CANDIDATES))
                        .forEach(actor -> expected.add(actor.session().id()));
                Await.until(
                        "latch " + i + " is watched by " + expected,
                        () -> watchersOf(latch).containsAll(expected));
                assertThat(watchersOf(latch)).isEqualTo(expected);
            }
        }
    }

    /** Percent-encoding makes three bytes of each, and servers accept a megabyte in one request. */
    @Test
    void claims_with_the_longest_metadata_are_granted_all_together() throws Exception {
        LeaderMetadata longest =
                new LeaderMetadata(Map.of("k", "é".repeat((LeaderMetadata.BYTES_MAX - "k".length()) / 2)));
        Actor actor = opened(TTL);
        actor.stoodBefore(ELECTION);

        CompletableFuture<List<ClaimReply>> together = actor.send(() -> ZooKeeperCalls.all(IntStream.range(0, 100)
                .mapToObj(number -> actor.session()
                        .claim(new ClaimRequest(ElectionName.of("long-" + number), actor.nonce(), 0, "actor", longest))
                        .toCompletableFuture())));

        assertThat(together.get(30, TimeUnit.SECONDS)).hasOnlyElementsOfType(ClaimReply.Granted.class);
    }

    /** Else it would stand in front of the one that its session creates next, for ever. */
    @Test
    void a_latch_that_somebody_has_written_over_is_removed_when_its_owner_claims_again() throws Exception {
        try (Operator operator = new Operator()) {
            Actor actor = opened(TTL);
            Nonce nonce = actor.nonce();
            ClaimReply.Granted before = (ClaimReply.Granted) actor.claim(ELECTION, nonce);
            String latch = base + "/c/e/" + operator.latches(base + "/c/e").get(0);
            operator.client().setData(latch, "something else".getBytes(StandardCharsets.UTF_8), -1);

            assertThat(actor.claim(ELECTION, nonce))
                    .isInstanceOfSatisfying(
                            ClaimReply.Granted.class,
                            again -> assertThat(again.token()).isGreaterThan(before.token()));
            assertThat(operator.latches(base + "/c/e")).hasSize(1);
        }
    }

    /** It is told only of the latch in front of its own. */
    @Test
    void the_third_learns_who_leads_by_asking_again() throws Exception {
        Duration brief = Duration.ofSeconds(4);
        Actor first = opened(brief);
        Actor second = opened(brief);
        Actor third = opened(brief);
        ClaimReply.Granted grant = first.take(ELECTION);
        second.claim(ELECTION, second.nonce());
        Nonce waiting = third.nonce();
        third.claim(ELECTION, waiting);

        first.ask(() -> first.session().release(ELECTION, grant.nonce()));
        Await.until("the second is elected", () -> !second.heard.grants().isEmpty());

        Await.until("the third knows it", () -> {
            ClaimReply.Waiting answer = (ClaimReply.Waiting) third.claim(ELECTION, waiting);
            return answer.holder()
                    .filter(leader -> second.tokens().contains(leader.token()))
                    .isPresent();
        });
    }

    @Test
    void when_the_first_leaves_the_second_leads_whoever_has_left_the_queue_behind_it() throws Exception {
        ClaimReply.Granted grant = (ClaimReply.Granted) join();
        for (int i = 1; i < CANDIDATES; i++) {
            join();
        }
        Actor leader = queue.get(0);
        Actor leaving = queue.get(3);

        leaving.ask(() -> leaving.session().close());
        leader.ask(() -> leader.session().release(ELECTION, grant.nonce()));

        Await.until("the second is elected", () -> !queue.get(1).heard.grants().isEmpty());
        assertThat(queue.subList(2, CANDIDATES))
                .allMatch(waiter -> waiter.heard.grants().isEmpty());
    }
}
