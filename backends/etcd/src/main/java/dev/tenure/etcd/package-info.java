/**
 * Elections in etcd, in the same key layout as {@code etcdctl elect} and Go's {@code concurrency.Election}.
 *
 * <p>{@link dev.tenure.etcd.EtcdBackend} answers calls, {@code Gateway} speaks gRPC, {@code Courier} carries many
 * claims in one transaction, {@code Places} is the queue as one session sees it, {@code Notices} hears of deletions.
 */
@NullMarked
package dev.tenure.etcd;

import org.jspecify.annotations.NullMarked;
