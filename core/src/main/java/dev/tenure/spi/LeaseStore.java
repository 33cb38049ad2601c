package dev.tenure.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The compare-and-set door: for stores without sessions. One adapter in core makes sessions of it.
 *
 * <p>Keys are at most 700 ASCII characters: {@code e}, or {@code s/…}, {@code c/…}, {@code o/…} with one path segment
 * after the slash. Rules for every method as in {@link Backend}: never block, never retry, three outcomes. Every read is
 * linearizable. Blocking clients run their calls on {@link Host#io()}.
 */
public non-sealed interface LeaseStore extends Door {
    CompletionStage<Versioned> read(String key);

    /** Every record whose key begins with this prefix, in no order. */
    CompletionStage<List<Versioned>> list(String prefix);

    CompletionStage<WriteReply> compareAndSet(Write write);

    /** Removes the record if it still has this version. */
    CompletionStage<WriteReply> delete(Versioned expected);

    /**
     * Hints that a key with this prefix may have changed. May be late, doubled or lost; may be a no-op. The prefix itself, as
     * a key, says that any of them may have: the way to the store was made anew, and another server may be at its end.
     */
    Watch watch(String prefix, Consumer<String> changedKey);

    /**
     * The same, by a store that can say more than a key: it overrides this, and tells of each write its {@link Write#word}, in
     * no order, as it was said or not at all, and never of a write that was refused. Whoever does so compares, in a write that
     * asks for others beside it, the value that is expected as well as its version, whether it shows them or not: what was told
     * may be expected without having been read.
     */
    default Watch listen(String prefix, Consumer<Hint> hint) {
        return watch(prefix, key -> hint.accept(Hint.of(key)));
    }
}
