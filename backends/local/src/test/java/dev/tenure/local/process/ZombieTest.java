// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Real processes on real files, killed and stopped in the middle of writing. What is asserted is never a time, only an
 * order: which writes the ledger accepted. {@code -Dtenure.rounds=N} runs more rounds.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class ZombieTest {
    private static final int ROUNDS = Integer.getInteger("tenure.rounds", 4);
    private static final long TTL_MILLIS = 1000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path temporary;

    private final List<CandidateProcess> candidates = new ArrayList<>();
    private Ledger ledger;
    private int started;

    @BeforeEach
    void open() throws IOException {
        ledger = new Ledger();
    }

    @AfterEach
    void close() throws Exception {
        for (CandidateProcess candidate : candidates) {
            candidate.close();
        }
        ledger.close();
    }

    @Test
    void a_killed_leader_is_replaced_and_tokens_only_grow() throws Exception {
        CandidateProcess leader = start();
        leader.order("go");
        long token = awaitWritesAbove(0);
        CandidateProcess standby = start();
        standby.order("go");

        for (int round = 0; round < ROUNDS; round++) {
            leader.kill();
            long next = awaitWritesAbove(token);
            assertThat(next).isGreaterThan(token);
            token = next;
            leader = standby;
            standby = start();
            standby.order("go");
        }

        assertThatTheLedgerIsClean();
    }

    @Test
    void a_stopped_leader_that_wakes_after_the_grant_and_before_its_successors_first_write_is_refused()
            throws Exception {
        CandidateProcess zombie = start();
        zombie.order("go");
        long token = awaitWritesAbove(0);

        for (int round = 0; round < ROUNDS; round++) {
            CandidateProcess successor = start();
            zombie.stop();
            long next = awaitLeading(successor, token);
            long zombieWrote = ledger.acceptedUnder(token);

            zombie.resume();
            long stale = token;
            await().atMost(PATIENCE).until(() -> ledger.refusedUnder(stale) > 0);

            assertThat(ledger.acceptedUnder(token)).as("writes of the zombie").isEqualTo(zombieWrote);
            assertThat(ledger.acceptedUnder(next))
                    .as("the successor has not written yet")
                    .isZero();
            successor.order("go");
            awaitWritesAbove(token);
            zombie.kill();
            zombie = successor;
            token = next;
        }

        assertThat(ledger.told()).noneMatch(line -> line.endsWith("-but-believes"));
        assertThatTheLedgerIsClean();
    }

    @Test
    void a_woken_leader_knows_its_loss_before_it_has_contacted_the_store() throws Exception {
        CandidateProcess leader = start();
        leader.order("go");
        long token = awaitWritesAbove(0);
        leader.order("cut");
        awaitTold(leader.node() + " obeyed-cut");

        leader.stop();
        CandidateProcess successor = start();
        awaitLeading(successor, token);
        leader.resume();

        awaitTold(leader.node() + " lost-" + token);
        assertThat(ledger.told()).noneMatch(line -> line.endsWith("-but-believes"));
        assertThatTheLedgerIsClean();
    }

    private CandidateProcess start() throws IOException {
        CandidateProcess candidate =
                CandidateProcess.start("n" + ++started, temporary.resolve("state"), ledger.port(), TTL_MILLIS);
        candidates.add(candidate);
        return candidate;
    }

    private long awaitWritesAbove(long token) {
        await().atMost(PATIENCE).until(() -> ledger.token() > token && ledger.acceptedUnder(ledger.token()) > 0);
        return ledger.token();
    }

    private long awaitLeading(CandidateProcess candidate, long above) {
        String prefix = candidate.node() + " leads-";
        await().atMost(PATIENCE).until(() -> ledger.told().stream().anyMatch(line -> line.startsWith(prefix)));
        String line = ledger.told().stream()
                .filter(told -> told.startsWith(prefix))
                .findFirst()
                .orElseThrow();
        long token = Long.parseLong(line.substring(prefix.length()));
        assertThat(token).isGreaterThan(above);
        return token;
    }

    private void awaitTold(String line) {
        await().atMost(PATIENCE).until(() -> ledger.told().contains(line));
    }

    private void assertThatTheLedgerIsClean() {
        long token = 0;
        String nonce = "";
        int accepted = 0;
        for (Ledger.Entry entry : ledger.writes()) {
            if (entry.accepted()) {
                assertThat(entry.token()).as("tokens of accepted writes").isGreaterThanOrEqualTo(token);
                if (entry.token() == token) {
                    assertThat(entry.nonce()).as("nonce of token %s", token).isEqualTo(nonce);
                }
                token = entry.token();
                nonce = entry.nonce();
                accepted++;
            }
        }
        assertThat(accepted).isPositive();
    }
}
