/** What a fence in the database costs, beside the same writes without one. */
@NullMarked
package dev.tenure.bench.fence;

import org.jspecify.annotations.NullMarked;
