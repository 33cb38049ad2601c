/** What the advisory locks of PostgreSQL cost, beside the least that a lock can cost there. */
@NullMarked
package dev.tenure.bench.advisory;

import org.jspecify.annotations.NullMarked;
