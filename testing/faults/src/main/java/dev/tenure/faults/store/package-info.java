/**
 * Stores as the faults see them. Read {@link dev.tenure.faults.store.StoreUnderTest} first: a new store implements it, and the
 * interfaces beside it are what only some stores can do. {@link dev.tenure.faults.store.StoreName} lists them all.
 */
@NullMarked
package dev.tenure.faults.store;

import org.jspecify.annotations.NullMarked;
