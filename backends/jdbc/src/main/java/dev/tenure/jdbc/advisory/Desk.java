package dev.tenure.jdbc.advisory;

import dev.tenure.spi.Host;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** For those who look and ask without a session: one connection, made when it is needed. Any thread. */
final class Desk {
    private final Switchboard switchboard;
    private final Line.Work<?> firstWords;
    private final Trouble trouble;
    private final Host host;
    private Optional<CompletableFuture<Line>> line = Optional.empty();
    private boolean closed;

    /** @param firstWords done on a new connection before anything else */
    Desk(Switchboard switchboard, Line.Work<?> firstWords, Trouble trouble, Host host) {
        this.switchboard = switchboard;
        this.firstWords = firstWords;
        this.trouble = trouble;
        this.host = host;
    }

    <T> CompletableFuture<T> ask(Line.Work<T> work) {
        return line().thenCompose(known -> known.run(work));
    }

    private synchronized CompletableFuture<Line> line() {
        if (closed) {
            return CompletableFuture.failedFuture(Trouble.over());
        }
        if (line.filter(Desk::isGood).isEmpty()) {
            CompletableFuture<Line> opened = new CompletableFuture<>();
            line = Optional.of(opened);
            host.io().execute(() -> open(opened));
        }
        return line.orElseThrow();
    }

    private static boolean isGood(CompletableFuture<Line> line) {
        return !line.isDone()
                || (!line.isCompletedExceptionally() && !line.join().isEnded());
    }

    private void open(CompletableFuture<Line> opened) {
        try {
            Line fresh = switchboard.open();
            try {
                fresh.now(firstWords);
            } catch (SQLException | RuntimeException failure) {
                fresh.end("of no use");
                throw failure;
            }
            opened.complete(fresh);
            if (isClosed()) {
                fresh.end("closed");
            }
        } catch (SQLException failure) {
            opened.completeExceptionally(trouble.beforeAnyEffect(failure));
        } catch (RuntimeException | Error failure) {
            opened.completeExceptionally(failure);
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    void close() {
        Optional<CompletableFuture<Line>> last;
        synchronized (this) {
            closed = true;
            last = line;
        }
        last.filter(CompletableFuture::isDone)
                .filter(opened -> !opened.isCompletedExceptionally())
                .ifPresent(opened -> opened.join().end("closed"));
    }
}
