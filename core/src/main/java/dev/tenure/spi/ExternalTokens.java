package dev.tenure.spi;

/**
 * A {@link LeaseStore} that can lose acknowledged writes, and therefore has its tokens drawn from another store that cannot.
 *
 * <p>Core then claims in three steps: it writes into this store that the election is being claimed, draws a token from the other one, and
 * writes the token into the claim, if that still stands as it was written. Only the last reply elects. A token that was drawn before the
 * claim could be lower than that of a leader whose claim this store has lost meanwhile.
 */
public interface ExternalTokens extends LeaseStore {
    /** Keeps the last token of each election in a record of its own. Always the same one; this store closes it. */
    LeaseStore tokenStore();
}
