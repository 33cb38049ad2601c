/** What stands in a Lease: names, the holder, and what Tenure adds in annotations. Nothing here does I/O. */
@NullMarked
package dev.tenure.kubernetes.lease;

import org.jspecify.annotations.NullMarked;
