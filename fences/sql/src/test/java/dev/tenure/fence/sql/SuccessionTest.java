// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tenure.Candidacy;
import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.Term;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real terms of the engine, with the fence in a real database. */
@Tag("server")
class SuccessionTest {
    private static final long PATIENCE_SECONDS = 30;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(Database.class)
    void a_zombie_that_wakes_after_the_grant_and_before_the_first_write_of_its_successor_is_refused(Database database)
            throws Exception {
        String ledger = database.freshLedger();
        FencedSql fence = fresh(database);
        FixedLeadership zombie = new FixedLeadership(Terms.of(1));
        fence.write(zombie, GuardedTable.insert(ledger, "in time"));
        CompletableFuture<Leadership> successor = new CompletableFuture<>();
        CountDownLatch mayEnd = new CountDownLatch(1);

        try (Tenure tenure = open()) {
            tenure.elect(Terms.ELECTION.value()).fencedBy(fence).perform(leadership -> {
                successor.complete(leadership);
                mayEnd.await();
            });
            Leadership leads = successor.get(PATIENCE_SECONDS, TimeUnit.SECONDS); // and has written nothing yet

            Throwable refused = catchThrowable(() -> fence.write(zombie, GuardedTable.insert(ledger, "late")));

            assertThat(refused)
                    .isInstanceOfSatisfying(
                            StaleTokenException.class,
                            stale -> assertThat(stale.seen()).isEqualTo(leads.token()));
            assertThat(zombie.toldOf()).containsExactly(leads.token());
            fence.write(leads, GuardedTable.insert(ledger, "new"));
            assertThat(database.lines(ledger)).containsExactly("in time", "new");
            mayEnd.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void a_leader_whose_write_is_refused_loses_its_term_as_fenced_and_leads_again_above_it(Database database)
            throws Exception {
        String ledger = database.freshLedger();
        FencedSql fence = fresh(database);
        BlockingQueue<Leadership> terms = new LinkedBlockingQueue<>();
        BlockingQueue<Loss> losses = new LinkedBlockingQueue<>();

        try (Tenure tenure = open()) {
            Candidacy candidacy = tenure.elect(Terms.ELECTION.value())
                    .fencedBy(fence)
                    .perform(leadership -> {
                        leadership.onLoss(losses::add);
                        terms.add(leadership);
                        while (leadership.isActive()) {
                            leadership.rest(java.time.Duration.ofSeconds(PATIENCE_SECONDS));
                        }
                    });
            Leadership first = terms.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            FencingToken above = new FencingToken(first.token().value() + 1);
            fence.raise(new Term(Terms.ELECTION, above, new Nonce(3, 3), "rival"));

            Throwable refused = catchThrowable(() -> fence.write(first, GuardedTable.insert(ledger, "late")));
            Loss loss = losses.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            Leadership second = terms.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);

            assertThat(refused).isInstanceOf(StaleTokenException.class);
            assertThat(loss).isInstanceOf(Loss.Fenced.class);
            assertThat(first.isValid()).isFalse();
            assertThat(second.token()).isGreaterThan(above);
            fence.write(second, GuardedTable.insert(ledger, "new"));
            assertThat(database.lines(ledger)).containsExactly("new");
            candidacy.resign("enough");
        }
    }

    private static FencedSql fresh(Database database) {
        return FencedSql.guarding(database.source(), "ledger").table(Database.freshName("fence"));
    }

    private Tenure open() {
        return Tenure.connect("local:" + folder).open();
    }
}
