package dev.tenure.bench.advisory;

import dev.tenure.sql.servers.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The least that a handover can cost: one unlocks, the next, already inside {@code pg_advisory_lock}, gets its answer. */
final class Floor implements AutoCloseable {
    private static final int KEY = 4711;

    private final Postgres server;
    private final Connection one;
    private final Connection two;
    private boolean swapped;

    Floor(Postgres server) throws SQLException {
        this.server = server;
        this.one = server.connect();
        this.two = server.connect();
        say(one, "SELECT pg_advisory_lock(" + KEY + ")");
    }

    long handOver() throws Exception {
        Connection holder = swapped ? two : one;
        Connection next = swapped ? one : two;
        swapped = !swapped;
        CompletableFuture<Long> got = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                say(next, "SELECT pg_advisory_lock(" + KEY + ")");
                got.complete(System.nanoTime());
            } catch (SQLException failure) {
                got.completeExceptionally(failure);
            }
        });
        waiter.start();
        awaitWaiting();
        long begunNanos = System.nanoTime();
        say(holder, "SELECT pg_advisory_unlock(" + KEY + ")");
        long tookNanos = got.get(20, TimeUnit.SECONDS) - begunNanos;
        waiter.join();
        return tookNanos;
    }

    private void awaitWaiting() throws InterruptedException {
        while (server.ask("SELECT count(*) FROM pg_locks WHERE NOT granted AND objid = " + KEY)
                .equals("0")) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        TimeUnit.MILLISECONDS.sleep(Advisory.REST_MILLIS);
    }

    private static void say(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        one.close();
        two.close();
    }
}
