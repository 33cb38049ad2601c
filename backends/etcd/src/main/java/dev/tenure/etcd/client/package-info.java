/**
 * The way to etcd: generated stubs of gRPC behind {@link dev.tenure.etcd.client.EtcdClient}, and the only place that knows them.
 * Everything else sees keys, transactions and answers.
 */
@NullMarked
package dev.tenure.etcd.client;

import org.jspecify.annotations.NullMarked;
