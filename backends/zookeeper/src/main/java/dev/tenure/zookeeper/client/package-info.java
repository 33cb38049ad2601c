/**
 * How ZooKeeper is spoken to. Read {@code ZooKeeperConnection} first: one session at the servers. {@code ZooKeeperCalls} are the calls on it.
 *
 * <p>{@code KeeperClient} is ZooKeeper's own client with what it does not offer, {@code ClientConfig} its settings, {@code Settings} what the
 * store URL says, {@code Paths} where the znodes are, and {@code ZooKeeperError} what went wrong. Other packages see ZooKeeper's values
 * ({@code Op}, {@code Stat}, codes) and never its client.
 */
@NullMarked
package dev.tenure.zookeeper.client;

import org.jspecify.annotations.NullMarked;
