// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import dev.tenure.Grade;
import dev.tenure.spi.support.StoreUrl;

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

    /**
     * Connects to the store of an option such as {@code ?tokens=URL}.
     *
     * @param text never shown as it is, because it may have a password
     * @throws BackendException if that store cannot keep tokens
     */
    static LeaseStore connect(String text, Host host) {
        BackendUrl url = BackendUrl.parse(text);
        StoreBinding storeBinding = BackendProvider.of(url).connect(url, host);
        if (storeBinding instanceof LeaseStore store && store.traits().grade() != Grade.D) {
            return store;
        }
        storeBinding.close();
        throw StoreUrl.refused(
                "tokens cannot be drawn from '" + url + "': name a store that keeps records and loses none, such as"
                        + " tokens=jdbc:postgresql://host/database (with %26 for each & in it)");
    }
}
