/**
 * A session with its entries in the queues of elections, the claims and releases that make and remove them, the watches that
 * wake those that wait, and how an observer finds out who leads. A candidate is a key, and the one that was created first
 * leads. Read {@link dev.tenure.etcd.claim.EtcdSession} first, then {@code ClaimOperation}.
 */
@NullMarked
package dev.tenure.etcd.claim;

import org.jspecify.annotations.NullMarked;
