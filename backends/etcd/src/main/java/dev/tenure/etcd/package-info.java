/**
 * Elections in etcd, in the same key layout as {@code etcdctl elect} and Go's {@code concurrency.Election}: the backend, its
 * provider, the fence, and what is known of versions of the server. {@code claim} is a session and the queues that it stands
 * in, {@code client} the way to the servers. Read {@link dev.tenure.etcd.EtcdBackend} first, which opens sessions.
 */
@NullMarked
package dev.tenure.etcd;

import org.jspecify.annotations.NullMarked;
