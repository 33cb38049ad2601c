/**
 * A store that only compares and sets, for the engine behind {@link dev.tenure.spi.LeaseStore}. Read {@link
 * dev.tenure.simulator.store.lease.LeaseServer} first, which has the records; {@link dev.tenure.simulator.store.lease.LeaseLink} is
 * how one process reaches it.
 */
@NullMarked
package dev.tenure.simulator.store.lease;

import org.jspecify.annotations.NullMarked;
