// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/** A resource has seen a newer token: this term is over, whatever its holder believes. Retrying cannot help. */
public class StaleTokenException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Term refused;
    private final transient FencingToken seen;

    /**
     * For implementations of {@link Fence} and for resources.
     *
     * @param resource what refused, for people
     * @param refused the term whose token was too old
     * @param seen the token that the resource has
     */
    public StaleTokenException(String resource, Term refused, FencingToken seen) {
        super(resource + " refused token " + refused.token() + " of election " + refused.election() + ": it has seen "
                + (seen.equals(refused.token()) ? "the same token from another holder" : "token " + seen));
        this.refused = refused;
        this.seen = seen;
    }

    /** The term whose token was too old. */
    public Term refused() {
        return refused;
    }

    /** The newer token that the resource has seen. */
    public FencingToken seen() {
        return seen;
    }

    /** True if two holders were handed the same number and the nonce told them apart. */
    public boolean isCollision() {
        return seen.equals(refused.token());
    }
}
