/**
 * Elections in etcd, in the same key layout as {@code etcdctl elect} and Go's {@code concurrency.Election}.
 *
 * <p>{@link dev.tenure.etcd.EtcdBackend} answers calls and {@code EtcdSession} those of one session. {@code claim} is the
 * queue as one session sees it, {@code session} its lease and its watches, {@code client} the way to the servers.
 */
@NullMarked
package dev.tenure.etcd;

import org.jspecify.annotations.NullMarked;
