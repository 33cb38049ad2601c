/**
 * Elections in etcd, in the same key layout as {@code etcdctl elect} and Go's {@code concurrency.Election}.
 *
 * <p>{@link dev.tenure.etcd.EtcdBackend} opens sessions; {@code claim} is a session and the queues that it stands in, {@code
 * client} the way to the servers.
 */
@NullMarked
package dev.tenure.etcd;

import org.jspecify.annotations.NullMarked;
