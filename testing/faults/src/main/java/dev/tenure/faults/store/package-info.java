/** The stores as one who breaks them sees them. A new store implements {@link dev.tenure.faults.store.StoreUnderTest}. */
@NullMarked
package dev.tenure.faults.store;

import org.jspecify.annotations.NullMarked;
