/**
 * What a backend implements. There are two doors: {@link dev.tenure.spi.Backend} for stores that have sessions of their
 * own, and {@link dev.tenure.spi.LeaseStore} for stores that only compare and set. Backends do not retry, wait or decide:
 * retries, jitter, read-back, deadlines, ordering and drain are written once, in core.
 */
@NullMarked
package dev.tenure.spi;

import org.jspecify.annotations.NullMarked;
