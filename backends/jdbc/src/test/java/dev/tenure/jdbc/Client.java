// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** One client of a store, with threads of its own and calls that wait for their answer. */
final class Client implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Host host = SystemHost.start("test");
    private final JdbcStore store;

    Client(Function<Host, JdbcStore> opening) {
        store = opening.apply(host);
    }

    static Client of(String url) {
        return new Client(host -> new JdbcProvider().connect(BackendUrl.parse(url), host));
    }

    JdbcStore store() {
        return store;
    }

    Versioned read(String key) {
        return reply(store.read(key));
    }

    Versioned write(Versioned expected, String value) {
        return applied(new Write(expected, value, Optional.empty(), 0));
    }

    Versioned write(Versioned expected, String value, Duration ttl) {
        return applied(new Write(expected, value, Optional.of(ttl), 0));
    }

    private Versioned applied(Write write) {
        if (reply(store.compareAndSet(write)) instanceof WriteReply.Applied applied) {
            return applied.now();
        }
        throw new AssertionError("refused: " + write.key());
    }

    /** The failure of a call, which must fail. */
    static BackendException failure(CompletionStage<?> call) {
        try {
            reply(call);
        } catch (BackendException failure) {
            return failure;
        }
        throw new AssertionError("this call should have failed");
    }

    BackendException readFailure() {
        return failure(store.read("c/a"));
    }

    BackendException writeFailure(Versioned expected) {
        return failure(store.compareAndSet(new Write(expected, "never", Optional.empty(), 0)));
    }

    static <T> T reply(CompletionStage<T> call) {
        try {
            return call.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof BackendException known) {
                throw known;
            }
            throw new CompletionException(failure.getCause());
        } catch (TimeoutException failure) {
            throw new AssertionError("no answer within " + PATIENCE.toSeconds() + " s", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    @Override
    public void close() {
        store.close();
        host.shutdown();
    }
}
