package dev.tenure;

/** A resource has seen a newer token: this term is over, whatever its holder believes. Retrying cannot help. */
public class StaleTokenException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Term refused;
    private final transient FencingToken seen;

    public StaleTokenException(String resource, Term refused, FencingToken seen) {
        super(resource + " refused token " + refused.token() + " of election " + refused.election() + ": it has seen "
                + (seen.equals(refused.token()) ? "the same token from another holder" : "token " + seen));
        this.refused = refused;
        this.seen = seen;
    }

    public Term refused() {
        return refused;
    }

    public FencingToken seen() {
        return seen;
    }

    /** True if two holders were handed the same number and the nonce told them apart. */
    public boolean isCollision() {
        return seen.equals(refused.token());
    }
}
