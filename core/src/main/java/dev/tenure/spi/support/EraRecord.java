// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Versioned;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** The store's random id and its era. */
public final class EraRecord {
    /** Where it stands in a {@link dev.tenure.spi.LeaseStore}. */
    public static final String KEY = "e";

    private static final RecordCodec CODEC = new RecordCodec("tenure era 1");
    private static final int ATTEMPTS_MAX = 10;

    private EraRecord() {}

    /** Of a store that is used for the first time. */
    public static StoreEra fresh(Host host) {
        return new StoreEra(new Nonce(host.random(), host.random()).toString(), 0);
    }

    /** The text of the record. */
    public static String text(StoreEra era) {
        return CODEC.lines().add("store", era.storeId()).add("era", era.era()).text();
    }

    /**
     * @param where names the record for people, such as {@code key tenure/e}
     * @throws BackendException if the text is no such record: without its era a store cannot be used
     */
    public static StoreEra of(String where, String text) {
        return CODEC.read(
                where,
                text,
                fields -> new StoreEra(fields.text("store"), (int) fields.number("era", 0, FencingToken.ERA_MAX)));
    }

    /** Reads the record; {@link BackendException} if it is damaged or was written by something else. */
    public static StoreEra of(Versioned stored) {
        return of("record " + stored.key(), stored.value());
    }

    /**
     * Raises the era, unless it is as high already.
     *
     * @param read the record as it stands, made if there was none
     * @param era what a record that was read says
     * @param replace writes the record anew if it still stands as it was read; completes with whether it did
     */
    public static <V> CompletableFuture<StoreEra> raise(
            int atLeast,
            Supplier<CompletableFuture<V>> read,
            Function<V, StoreEra> era,
            BiFunction<V, StoreEra, CompletableFuture<Boolean>> replace) {
        if (atLeast < 0 || atLeast > FencingToken.ERA_MAX) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("era " + atLeast + " is outside 0.." + FencingToken.ERA_MAX));
        }
        return raise(atLeast, read, era, replace, ATTEMPTS_MAX);
    }

    private static <V> CompletableFuture<StoreEra> raise(
            int atLeast,
            Supplier<CompletableFuture<V>> read,
            Function<V, StoreEra> era,
            BiFunction<V, StoreEra, CompletableFuture<Boolean>> replace,
            int attempts) {
        return read.get().thenCompose(found -> {
            StoreEra now = era.apply(found);
            if (now.era() >= atLeast) {
                return CompletableFuture.completedFuture(now);
            }
            if (attempts == 0) {
                throw BackendException.unreachable("the era is being changed by others all the time; try again");
            }
            StoreEra raised = new StoreEra(now.storeId(), atLeast);
            return replace.apply(found, raised)
                    .thenCompose(replaced -> replaced
                            ? CompletableFuture.completedFuture(raised)
                            : raise(atLeast, read, era, replace, attempts - 1));
        });
    }
}
