// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/**
 * The resource's side: accepts a write only from the newest token of its election. The engine raises every fence of a
 * campaign to the new token after the grant and before the duty starts. So a zombie is refused from the moment that its
 * successor can act, and what the successor reads can no longer change under it.
 */
public interface Fence {
    /**
     * Raises the resource to this term, in one atomic step with the comparison. May block; runs off the engine's thread.
     *
     * @throws StaleTokenException if the resource has seen a newer token, or the same token with another nonce
     */
    void raise(Term term) throws Exception;
}
