// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

/** One of the two ways in which a store can serve elections. */
public sealed interface StoreBinding extends AutoCloseable permits Backend, LeaseStore {
    /** What the store promises. It may become more exact once the store was asked something. */
    BackendTraits traits();

    /** Frees connections and threads; does not release claims. Idempotent, never throws. */
    @Override
    void close();
}
