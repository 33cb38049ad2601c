// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The compare-and-set door: for stores without sessions. One adapter in core makes sessions of it.
 *
 * <p>A key is at most 700 ASCII characters: a lower-case letter, which is the kind of its record, alone or with a slash and
 * one path segment. A store treats all kinds alike, so that new ones can be added without a change in any store. A record
 * without a path segment is about the store as a whole: it must survive what the store itself survives.
 *
 * <p>Rules for every method as in {@link Backend}: never block, never retry, three outcomes. Every read is
 * linearizable. Blocking clients run their calls on {@link Host#io()}, by {@link dev.tenure.spi.support.BlockingCalls}.
 */
public non-sealed interface LeaseStore extends StoreBinding {
    /** The record as it stands, or {@link Versioned#absent}. */
    CompletionStage<Versioned> read(String key);

    /** Every record whose key begins with this prefix, in no order. */
    CompletionStage<List<Versioned>> list(String prefix);

    /** Compares and writes in one atomic step. A refusal shows the record as it stands, which the caller goes on from. */
    CompletionStage<WriteReply> compareAndSet(Write write);

    /** Removes the record if it still has this version. */
    CompletionStage<WriteReply> delete(Versioned expected);

    /**
     * Hints that a key with this prefix may have changed. May be late, doubled or lost; may be a no-op. The prefix itself, as
     * a key, says that any of them may have: the way to the store was made anew, and another server may be at its end.
     */
    Watch watch(String prefix, Consumer<String> changedKey);
}
