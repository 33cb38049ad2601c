/**
 * Elections in Apache ZooKeeper, in the layout of Curator's LeaderLatch: candidates of both kinds can stand in one election.
 *
 * <p>{@code ZooKeeperBackend} answers calls, {@code ZooKeeperSession} is the liveness of the process, {@code Stand} is its part
 * in one election and {@code Place} its latch there, {@code Lifetimes} says how long a session can be relied on and why.
 */
@NullMarked
package dev.tenure.zookeeper;

import org.jspecify.annotations.NullMarked;
