// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.FencingToken;
import dev.tenure.Grade;
import dev.tenure.Leader;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bully and rings: the highest of those that stand leads, and nothing more is promised. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class TermlessTest {
    private Trio trio = new Trio("");

    @AfterEach
    void close() {
        trio.close();
    }

    private Optional<FencingToken> leaderSeenBy(String me) {
        return trio.door(me)
                .read(Stander.ELECTION)
                .toCompletableFuture()
                .join()
                .leader()
                .map(Leader::token);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bully", "ring", "chang-roberts"})
    void the_highest_that_stands_leads_and_is_followed_by_the_next(String algorithm) {
        trio = Trio.started("algorithm=" + algorithm);
        assertThat(trio.door("a").traits().grade()).isEqualTo(Grade.D);
        try (Stander low = Stander.at(trio.door("a"))) {
            FencingToken first = low.awaitGrant().token();
            try (Stander high = Stander.at(trio.door("b"))) {
                FencingToken second = high.awaitGrant().token();
                await().atMost(Trio.PATIENCE).until(() -> !low.holds());
                assertThat(second).isGreaterThan(first);

                low.claimAgain();
                high.release();

                await().atMost(Trio.PATIENCE)
                        .until(() -> low.awaitGrant().token().isNewerThan(second));
                await().atMost(Trio.PATIENCE)
                        .until(() -> leaderSeenBy("c")
                                .equals(Optional.of(low.awaitGrant().token())));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bully", "ring"})
    void each_side_of_a_partition_has_a_leader_of_its_own_and_that_is_why_they_are_grade_d(String algorithm) {
        trio = Trio.overRelays("algorithm=" + algorithm);
        try (Stander high = Stander.at(trio.door("c"))) {
            high.awaitGrant();
            trio.isolate("c"); // first: on a ring, a leader that hears of another one that stands holds a new election
            try (Stander low = Stander.at(trio.door("a"))) {
                low.awaitGrant();

                assertThat(high.holds()).isTrue();
                assertThat(low.holds()).isTrue();
            }
        }
    }
}
