/** The resource that is guarded, what it has seen, and what it says about those who wrote to it. */
@NullMarked
package dev.tenure.faults.ledger;

import org.jspecify.annotations.NullMarked;
