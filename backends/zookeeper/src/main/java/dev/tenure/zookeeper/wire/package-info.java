/**
 * A small client of ZooKeeper's protocol.
 *
 * <p>{@link dev.tenure.zookeeper.wire.Wire} is a session, {@code Line} one connection of it to one server, {@link
 * dev.tenure.wire.Reactor} waits for the network. Whatever a server says is told on the reactor's thread, in the order in
 * which the server said it.
 */
@NullMarked
package dev.tenure.zookeeper.wire;

import org.jspecify.annotations.NullMarked;
