/**
 * A session and the queues that it stands in. A candidate is a key; the one that was created first leads. Begin with {@link
 * dev.tenure.etcd.claim.EtcdSession}.
 */
@NullMarked
package dev.tenure.etcd.claim;

import org.jspecify.annotations.NullMarked;
