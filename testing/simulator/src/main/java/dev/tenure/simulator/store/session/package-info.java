/**
 * A store with sessions and a queue of its own, for the engine behind {@link dev.tenure.spi.Backend}. Read {@link
 * dev.tenure.simulator.store.session.SessionServer} first; {@link dev.tenure.simulator.store.session.StoreRules} is where etcd and
 * ZooKeeper differ, and {@link dev.tenure.simulator.store.session.SessionLink} is how one process reaches it.
 */
@NullMarked
package dev.tenure.simulator.store.session;

import org.jspecify.annotations.NullMarked;
