/**
 * One ZooKeeper session and what belongs to it rather than to an election. Read {@code ZooKeeperSession} first, then {@code SessionTimeouts}: for
 * how long a session can be relied on, and why.
 *
 * <p>{@code SessionRenewal} renews it by a write of a quorum. {@code StoreRecords} are the store's era and what {@code tenure resign} leaves.
 */
@NullMarked
package dev.tenure.zookeeper.session;

import org.jspecify.annotations.NullMarked;
