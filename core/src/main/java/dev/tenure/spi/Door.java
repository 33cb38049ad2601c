package dev.tenure.spi;

/** One of the two ways in which a store can serve elections. */
public sealed interface Door extends AutoCloseable permits Backend, LeaseStore {
    BackendTraits traits();

    /** Frees connections and threads; does not release claims. Idempotent, never throws. */
    @Override
    void close();
}
