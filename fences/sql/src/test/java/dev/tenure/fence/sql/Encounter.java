// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Term;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** An old leader with an open transaction, and its successor that raises the fence, step by step. */
final class Encounter implements AutoCloseable {
    static final Term OLD = Terms.of(5);
    static final Term NEW = Terms.of(6);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final Database database;
    final String resource = "ledger";
    final String fenceTable = Database.freshName("fence");
    final String ledger;
    final FencedSql fence;
    final Connection writer;
    private final int levelBefore;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    Encounter(Database database, Isolation isolation) throws Exception {
        this.database = database;
        this.ledger = database.freshLedger();
        this.fence = FencedSql.guarding(database.source(), resource)
                .table(fenceTable)
                .raiseWithin(PATIENCE);
        fence.raise(OLD);
        writer = database.source().getConnection();
        levelBefore = writer.getTransactionIsolation();
        writer.setTransactionIsolation(isolation.level);
        writer.setAutoCommit(false);
    }

    CompletableFuture<Void> inBackground(Step step) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        step.run();
                    } catch (Exception failure) {
                        throw new CompletionException(failure);
                    }
                },
                threads);
    }

    interface Step {
        void run() throws Exception;
    }

    /** Begins to raise the fence, and returns when that is done or waits for somebody. */
    CompletableFuture<Void> raise() {
        CompletableFuture<Void> raising = inBackground(() -> fence.raise(NEW));
        settle(raising, fenceTable);
        return raising;
    }

    /** Returns when the step is done, or when the connection with this id waits for a lock. */
    void await(CompletableFuture<Void> step, String id) {
        Awaitility.await("done, or waiting for a lock")
                .atMost(PATIENCE)
                .pollInterval(database.looksEvery())
                .until(() -> step.isDone() || database.waits(id));
    }

    void settle(CompletableFuture<Void> step, String mention) {
        Awaitility.await("done, or waiting for a lock")
                .atMost(PATIENCE)
                .pollInterval(database.looksEvery())
                .until(() -> step.isDone() || database.isWaiting(mention));
    }

    void insert(String line) throws SQLException {
        GuardedTable.insert(ledger, line).run(writer);
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = writer.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The server ends the writer's connection, as when its machine has died. */
    void breakOff() throws SQLException {
        String end = database.endingOf(writer);
        database.execute(end);
    }

    static void done(CompletableFuture<Void> step) throws Exception {
        try {
            step.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            throw failure.getCause() instanceof Exception cause ? cause : failure;
        }
    }

    @Override
    public void close() throws SQLException {
        threads.shutdownNow();
        try (writer) {
            writer.rollback();
            writer.setAutoCommit(true);
            writer.setTransactionIsolation(levelBefore);
        } catch (SQLException broken) {
            assertThat(writer.isClosed()).as(broken.toString()).isTrue();
        }
    }
}
