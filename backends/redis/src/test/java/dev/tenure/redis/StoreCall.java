// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** One call to a store, with its answer. */
final class StoreCall {
    private static final int PATIENCE_SECONDS = 60;

    private StoreCall() {}

    static <T> T to(String url, Function<LeaseStore, CompletionStage<T>> call) throws Exception {
        Host host = SystemHost.start("test");
        try (LeaseStore store = new RedisProvider().connect(BackendUrl.parse(url), host)) {
            return call.apply(store).toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof BackendException known) {
                throw known;
            }
            throw failure;
        } finally {
            host.shutdown();
        }
    }

    static Versioned read(String url) throws Exception {
        return to(url, store -> store.read("c/a"));
    }

    /** A claim where there is none. */
    static Object claim(String url) throws Exception {
        return to(
                url, store -> store.compareAndSet(new Write(Versioned.absent("c/a", 0), "claim", Optional.empty(), 1)));
    }
}
