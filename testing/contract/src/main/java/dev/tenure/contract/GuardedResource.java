// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.Fence;
import dev.tenure.Term;
import java.util.List;

/** One client of a resource behind a fence, as {@link FenceContract} drives it. Safe for any thread. */
public interface GuardedResource extends AutoCloseable {
    Fence fence();

    /**
     * Writes this value under this term: comparison and write in one atomic step.
     *
     * @throws dev.tenure.StaleTokenException if the resource has seen a newer token, or the same one with another nonce
     */
    void write(Term term, String value) throws Exception;

    /** Every value that was accepted, by any client, in the order in which the resource took them. */
    List<String> accepted() throws Exception;

    /** Frees what this client uses; the resource keeps what it has seen. */
    @Override
    default void close() throws Exception {}
}
