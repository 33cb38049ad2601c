// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

/**
 * Cases about a store, one interface for each subject. Interfaces, because {@link LeaseStoreContract} can have them all: a
 * report then names the backend's own class, which it does not for nested classes. {@link UnalteredCases} keeps a backend
 * from overriding them.
 */
interface StoreCases {
    /** What the running case needs; its own. */
    StoreNamespace namespace();
}
