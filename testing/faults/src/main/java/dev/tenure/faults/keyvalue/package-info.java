/**
 * Consul, etcd, Redis with sentinels and ZooKeeper under test, each a cluster of real servers. Read {@link
 * dev.tenure.faults.keyvalue.EtcdStore} first: the others are built in the same way.
 */
@NullMarked
package dev.tenure.faults.keyvalue;

import org.jspecify.annotations.NullMarked;
