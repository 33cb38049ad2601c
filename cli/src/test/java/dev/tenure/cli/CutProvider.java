// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import dev.tenure.Grade;
import dev.tenure.local.LocalProvider;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * {@code cut:/dir} is the store of {@code local:/dir} over a link that is cut while there is a file {@code /dir.cut}. Until
 * the first answer it takes itself for grade A, and then it knows better.
 */
public final class CutProvider implements BackendProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("cut");
    }

    @Override
    public StoreBinding connect(BackendUrl url, Host host) {
        LeaseStore store =
                (LeaseStore) new LocalProvider().connect(new BackendUrl("local", url.rest(), url.options()), host);
        return new CutStore(store, Path.of(url.rest() + ".cut"));
    }

    private static final class CutStore implements LeaseStore {
        private final LeaseStore store;
        private final Path cut;
        private volatile boolean answered;

        CutStore(LeaseStore store, Path cut) {
            this.store = store;
            this.cut = cut;
        }

        private <T> CompletionStage<T> overTheLink(Supplier<CompletionStage<T>> request) {
            if (Files.exists(cut)) {
                return CompletableFuture.failedFuture(
                        new BackendException(Effect.NONE, Kind.UNREACHABLE, "the link is cut"));
            }
            answered = true;
            return request.get();
        }

        @Override
        public BackendTraits traits() {
            BackendTraits traits = store.traits();
            return traits.change()
                    .grade(answered ? Grade.B : Grade.A, answered ? "its link can be cut" : "")
                    .build();
        }

        @Override
        public CompletionStage<Versioned> read(String key) {
            return overTheLink(() -> store.read(key));
        }

        @Override
        public CompletionStage<List<Versioned>> list(String prefix) {
            return overTheLink(() -> store.list(prefix));
        }

        @Override
        public CompletionStage<WriteReply> compareAndSet(Write write) {
            return overTheLink(() -> store.compareAndSet(write));
        }

        @Override
        public CompletionStage<WriteReply> delete(Versioned expected) {
            return overTheLink(() -> store.delete(expected));
        }

        @Override
        public Watch watch(String prefix, Consumer<String> changedKey) {
            return store.watch(prefix, changedKey);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
