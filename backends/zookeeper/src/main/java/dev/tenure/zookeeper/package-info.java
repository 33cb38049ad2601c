/**
 * Elections in Apache ZooKeeper, in the layout of Curator's LeaderLatch: candidates of both kinds can stand in one election.
 *
 * <p>Read {@code ZooKeeperBackend} first. The packages below are, from the store upwards: {@code client}, how ZooKeeper is spoken to; {@code
 * claim}, one session in its elections; {@code session}, the liveness of the process. Here are the entry points, the fence, and what an
 * observer reads.
 */
@NullMarked
package dev.tenure.zookeeper;

import org.jspecify.annotations.NullMarked;
