/**
 * The queue of an election: claims, releases, and who leads. A candidate is a key; the one that was created first leads.
 */
@NullMarked
package dev.tenure.etcd.claim;

import org.jspecify.annotations.NullMarked;
