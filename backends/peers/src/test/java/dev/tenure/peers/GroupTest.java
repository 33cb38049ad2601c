// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.peers.group.PeersSettings;
import dev.tenure.peers.group.PeersSettings.TimingProfile;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.support.Ports;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that die, come back, forget, or are cut off, in groups that vote. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class GroupTest {
    private Trio trio = new Trio("");

    @AfterEach
    void close() {
        trio.close();
    }

    private static Optional<Leader> leaderSeenBy(PeersBackend door) {
        return door.read(Stander.ELECTION).toCompletableFuture().join().leader();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_leader_that_dies_is_replaced_by_a_higher_token_and_two_of_three_suffice(String algorithm) {
        trio = Trio.started("algorithm=" + algorithm);
        try (Stander first = Stander.at(trio.door("a"))) {
            FencingToken before = first.awaitGrant().token();
            try (Stander next = Stander.at(trio.door("b"))) {
                trio.stop("a");

                assertThat(next.awaitGrant().token()).isGreaterThan(before);
                assertThat(next.awaitGrant().takeover()).isTrue();
                assertThat(leaderSeenBy(trio.door("c")).map(Leader::token))
                        .contains(next.awaitGrant().token());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_release_hands_over_without_waiting_for_a_lease(String algorithm) {
        trio = Trio.started("algorithm=" + algorithm);
        boolean early = false;
        // On a busy machine a round may take longer than a lease by itself, but not all of them.
        for (int round = 0; round < 5 && !early; round++) {
            early = isEarlyAfterRelease();
        }

        assertThat(early)
                .as("it was granted before the lease of the other would have ended")
                .isTrue();
    }

    private boolean isEarlyAfterRelease() {
        try (Stander first = Stander.at(trio.door("c"))) {
            FencingToken before = first.awaitGrant().token();
            try (Stander next = Stander.at(trio.door("a"))) {
                await().atMost(Trio.PATIENCE)
                        .until(() -> leaderSeenBy(trio.door("a")).isPresent());
                long believesUntilNanos = first.believesUntilNanos();

                first.release();

                assertThat(next.awaitGrant().token()).isGreaterThan(before);
                assertThat(next.awaitGrant().takeover()).isFalse();
                return System.nanoTime() - believesUntilNanos < 0;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_leader_that_is_cut_off_has_stopped_to_believe_before_the_next_one_begins(String algorithm) {
        trio = Trio.overRelays("algorithm=" + algorithm);
        try (Stander first = Stander.at(trio.door("a"))) {
            FencingToken before = first.awaitGrant().token();
            try (Stander next = Stander.at(trio.door("b"))) {
                trio.isolate("a");

                FencingToken after = next.awaitGrant().token();
                long begunNanos = System.nanoTime();

                assertThat(after).isGreaterThan(before);
                assertThat(first.believesUntilNanos()).isLessThan(begunNanos);
                assertThat(first.holds()).isFalse();
            }
            trio.heal();
            await().atMost(Trio.PATIENCE)
                    .until(() -> leaderSeenBy(trio.door("a")).isEmpty()
                            || leaderSeenBy(trio.door("a")).get().token().isNewerThan(before));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_minority_never_leads(String algorithm) {
        trio = Trio.overRelays("algorithm=" + algorithm);
        try (Stander majority = Stander.at(trio.door("b"))) {
            FencingToken token = majority.awaitGrant().token();
            try (Stander alone = Stander.at(trio.door("a"))) {
                trio.isolate("a");
                long farNanos = System.nanoTime()
                        + 3 * TimingProfile.DEFAULT.electionMax().toNanos() / 2;
                await().atMost(Trio.PATIENCE)
                        .pollInterval(java.time.Duration.ofMillis(20))
                        .until(() -> {
                            assertThat(alone.isGranted()).isFalse();
                            return System.nanoTime() > farNanos;
                        });

                // On a busy machine the majority's own lease may have lapsed meanwhile: then nobody leads.
                assertThat(leaderSeenBy(trio.door("c")).map(Leader::token).orElse(token))
                        .isEqualTo(token);
                assertThatThrownBy(() -> leaderSeenBy(trio.door("a")))
                        .isInstanceOf(CompletionException.class)
                        .hasMessageContaining("no majority");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"raft", "quorum"})
    void a_member_by_whom_nobody_wants_to_lead_votes_and_never_stands(String algorithm) {
        trio = Trio.started("algorithm=" + algorithm);
        try (Stander first = Stander.at(trio.door("a"))) {
            long term = first.awaitGrant().token().sequence();
            await().atMost(Trio.PATIENCE)
                    .until(() -> ballotOf("b").map(Ballot::term).equals(Optional.of(term)));

            trio.stop("a");
            long farNanos =
                    System.nanoTime() + 3 * TimingProfile.DEFAULT.electionMax().toNanos() / 2;
            await().atMost(Trio.PATIENCE).until(() -> System.nanoTime() > farNanos);

            assertThat(ballotOf("b").map(Ballot::term)).contains(term);
            assertThat(ballotOf("b").flatMap(Ballot::vote)).contains(1);
        }
    }

    private Optional<Ballot> ballotOf(String me) {
        PeersBackend door = trio.door(me);
        return door.member()
                .orElseThrow()
                .onLoop(() -> CompletableFuture.completedFuture(
                        door.member().orElseThrow().journal.ballot(Stander.ELECTION)))
                .join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kept", "lost"})
    void a_whole_group_that_comes_back_goes_on_above_its_last_token(String votes) {
        trio = Trio.started("");
        FencingToken before;
        try (Stander first = Stander.at(trio.door("a"))) {
            before = first.awaitGrant().token();
        }
        Trio.NAMES.forEach(trio::stop);
        if (votes.equals("lost")) {
            Trio.NAMES.forEach(trio::forget);
        }

        Trio.NAMES.forEach(trio::restart);

        try (Stander again = Stander.at(trio.door("b"))) {
            assertThat(again.awaitGrant().token()).isGreaterThan(before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"kept", "lost"})
    void a_voter_that_comes_back_does_not_vote_a_second_leader_into_a_lease(String votes) {
        trio = Trio.overRelays("");
        try (Stander first = Stander.at(trio.door("a"))) {
            FencingToken before = first.awaitGrant().token();
            try (Stander rival = Stander.at(trio.door("c"))) {
                // What the leader has is by itself and b alone; then b begins again, and hears only c, who stands.
                trio.isolate("c");
                trio.stop("b");
                if (votes.equals("lost")) {
                    trio.forget("b");
                }
                trio.healBut("a");
                trio.restart("b");

                FencingToken after = rival.awaitGrant().token();

                assertThat(first.believesUntilNanos()).isLessThan(System.nanoTime());
                assertThat(after).isGreaterThan(before);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "a")
    void a_second_process_of_the_same_name_is_told_so(String name) {
        trio = Trio.started("");
        await().atMost(Trio.PATIENCE)
                .until(() -> trio.door("b").member().orElseThrow().connections.size() == 2
                        && trio.door("c").member().orElseThrow().connections.size() == 2);
        String elsewhere = trio.url(name).replace("data=" + trio.data(name), "data=" + trio.data("other"));
        String own = name + "@127.0.0.1:";
        String moved = elsewhere.replaceFirst(own + "[0-9]+", own + Ports.free());
        Host host = SystemHost.start("second");
        PeersBackend second = PeersBackend.connect(PeersSettings.of(BackendUrl.parse(moved), Map.of()), host);

        assertThatThrownBy(() -> second.era().toCompletableFuture().join()).hasMessageContaining("no majority");
        assertThat(secondsTrouble(second)).contains("another process is member 'a' already");

        second.close();
        host.shutdown();
    }

    private static String secondsTrouble(PeersBackend second) {
        try {
            second.open(
                            new dev.tenure.spi.SessionRequest("x", java.time.Duration.ofSeconds(1)),
                            new dev.tenure.spi.SessionEvents() {
                                @Override
                                public void granted(
                                        dev.tenure.ElectionName election, dev.tenure.spi.ClaimReply.Granted grant) {}

                                @Override
                                public void changed(dev.tenure.ElectionName election) {}

                                @Override
                                public void tokenObserved(dev.tenure.ElectionName election, long token) {}

                                @Override
                                public void requested(dev.tenure.spi.OperatorRequest request) {}

                                @Override
                                public void lost(String why) {}
                            })
                    .toCompletableFuture()
                    .join();
            return "";
        } catch (CompletionException refused) {
            return String.valueOf(refused.getMessage());
        }
    }
}
