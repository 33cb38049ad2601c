// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.script;

import dev.tenure.spi.Backend;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Where a script is played: a model in virtual time, or a real store. */
public interface ScriptTarget extends AutoCloseable {
    /** The store as a process of its own has it. */
    Backend connect(String who);

    /** Makes a call on the loop of that process. */
    <T> CompletableFuture<T> call(String who, Supplier<CompletionStage<T>> call);

    /** A monotonic clock. */
    long nanos();

    /** Lets a moment pass. */
    void pass();

    /** This process is gone without a word: nothing of it reaches the store any more. */
    void vanish(String who);

    /** Ends a session as an operator can. */
    void revoke(String session);

    /** The server that leads the store is gone; the answer tells whether another one leads. */
    BooleanSupplier changeLeader();

    /** Removes the place of the election, where nobody stands. */
    void removeElection();

    @Override
    void close();
}
