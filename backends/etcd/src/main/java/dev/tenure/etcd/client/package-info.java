/**
 * The way to etcd: channels of gRPC and what fails on them, transactions, watches, and where the keys lie. It is the only place
 * that knows the generated stubs; everything else sees keys, transactions and answers. Read {@link
 * dev.tenure.etcd.client.EtcdClient} first, which owns the choice of the server, logins and timeouts.
 */
@NullMarked
package dev.tenure.etcd.client;

import org.jspecify.annotations.NullMarked;
