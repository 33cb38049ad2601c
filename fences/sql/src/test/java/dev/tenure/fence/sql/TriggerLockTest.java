// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A trigger that only looked would let a write in whose successor has begun before it is committed. */
@Tag("server")
class TriggerLockTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    static Stream<Arguments> matrix() {
        return Stream.of(Database.POSTGRESQL, Database.MARIADB)
                .flatMap(database -> Stream.of(Isolation.values()).map(isolation -> Arguments.of(database, isolation)));
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void a_raise_waits_for_a_writer_that_a_trigger_has_let_in(Database database, Isolation isolation) throws Exception {
        String resource = Database.freshName("locked");
        String table = database.freshLedger();
        FencedSql fence = FencedSql.guarding(database.source(), resource).raiseWithin(PATIENCE);
        try (Connection writer = database.source().getConnection()) {
            TableGuard.at(writer).install(resource, Terms.ELECTION, List.of(table));
            fence.raise(Terms.of(5));
            int levelBefore = writer.getTransactionIsolation();
            writer.setTransactionIsolation(isolation.level);
            writer.setAutoCommit(false);
            TriggeredTable.present(database, writer, resource, Terms.of(5));
            GuardedTable.insert(table, "in time").run(writer);

            CompletableFuture<Void> raising = CompletableFuture.runAsync(() -> raise(fence));
            await("raised, or waiting for the writer")
                    .atMost(PATIENCE)
                    .pollInterval(database.looksEvery())
                    .until(() -> raising.isDone() || database.isWaiting(FenceOptions.TABLE));

            assertThat(raising).isNotDone();
            writer.commit();
            raising.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(database.lines(table)).containsExactly("in time");
            writer.setAutoCommit(true);
            writer.setTransactionIsolation(levelBefore);
        }
    }

    private static void raise(FencedSql fence) {
        try {
            fence.raise(Terms.of(6));
        } catch (Exception failure) {
            throw new CompletionException(failure);
        }
    }
}
