// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.plan;

/** Which store a world has, and behind which door. */
public enum StoreKind {
    /** Compare-and-set; challengers time an unchanged record on their own clocks. */
    OBSERVER,
    /** Compare-and-set; a read tells whether a record has expired, by the store's time. */
    SERVER_TIME,
    /** Compare-and-set; expired records vanish. */
    SERVER_TTL,
    /** Compare-and-set; as OBSERVER, and the numbers of its writes are the tokens. */
    ISSUING,
    /** Sessions of its own, and a queue whose grants are pushed. */
    QUEUE,
    /** Sessions by the laws of Consul, and only hints that something has changed. */
    CONSUL,
    /** One record per election that lives by renewals of its own, as Kubernetes' Leases do, and hints. */
    PER_CLAIM,
    /** Sessions and a queue by the laws of etcd. */
    ETCD,
    /** Sessions and a queue by the laws of ZooKeeper. */
    ZOOKEEPER,
    /** Compare-and-set; as SERVER_TIME, and tokens are drawn from records that no fault takes back. Only if asked for. */
    DRAWING,
    /** Compare-and-set; as SERVER_TIME, and renewals read records along. Only if asked for. */
    READING;

    public boolean hasSessions() {
        return hasQueue() || this == CONSUL || this == PER_CLAIM;
    }

    /** Do tokens come from a revision of the store, which goes back with a restore? */
    public boolean issuesTokens() {
        return hasSessions() || this == ISSUING;
    }

    public boolean hasQueue() {
        return this == QUEUE || this == ETCD || this == ZOOKEEPER;
    }
}
