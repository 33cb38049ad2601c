// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.StoreBinding;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * {@code down://host} is a store that cannot be reached, {@code down-at-once://host} one that says so when it is opened, and
 * {@code down-aloud://host} one that repeats its URL.
 */
public final class DownProvider implements BackendProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("down", "down-at-once", "down-aloud");
    }

    @Override
    public StoreBinding connect(BackendUrl url, Host host) {
        if (url.scheme().equals("down-at-once")) {
            throw unreachable(url);
        }
        return new DownStore(url);
    }

    private static BackendException unreachable(BackendUrl url) {
        if (url.scheme().equals("down-aloud")) {
            Exception cause = new IllegalStateException(url.options().toString(), new IOException(url.rest()));
            return new BackendException(Effect.NONE, Kind.UNREACHABLE, "no " + url.rest() + url.options(), cause);
        }
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, "connection to " + url + " refused: is it running?");
    }

    private record DownStore(BackendUrl url) implements LeaseStore {
        @Override
        public BackendTraits traits() {
            return BackendTraits.of(url.toString())
                    .grade(Grade.A, "")
                    .scope(Scope.CLUSTER)
                    .ttl(Duration.ofSeconds(1), Duration.ofHours(1))
                    .expiry(BackendTraits.ExpiryDetection.OBSERVER)
                    .tokens(BackendTraits.TokenSource.COUNTER)
                    .wakeup(BackendTraits.Wakeup.POLL)
                    .build();
        }

        private <T> CompletionStage<T> refused() {
            return CompletableFuture.failedFuture(unreachable(url));
        }

        @Override
        public CompletionStage<Versioned> read(String key) {
            return refused();
        }

        @Override
        public CompletionStage<List<Versioned>> list(String prefix) {
            return refused();
        }

        @Override
        public CompletionStage<WriteReply> compareAndSet(Write write) {
            return refused();
        }

        @Override
        public CompletionStage<WriteReply> delete(Versioned expected) {
            return refused();
        }

        @Override
        public Watch watch(String prefix, Consumer<String> changedKey) {
            return () -> {};
        }

        @Override
        public void close() {}
    }
}
