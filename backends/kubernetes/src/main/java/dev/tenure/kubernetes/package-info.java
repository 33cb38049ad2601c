/**
 * Elections as Leases of Kubernetes, with the fields that every elector there knows. {@code KubernetesSession} stands in elections,
 * {@code ElectionClaim} is what it has in one of them, {@code ElectionLease} is one election as its Lease, and {@code LeaseApi} the way
 * to the server. Read {@link dev.tenure.kubernetes.KubernetesBackend} first: it answers the calls. With {@code sessions=on} that is {@link
 * dev.tenure.kubernetes.RecordLeases}.
 */
@NullMarked
package dev.tenure.kubernetes;

import org.jspecify.annotations.NullMarked;
