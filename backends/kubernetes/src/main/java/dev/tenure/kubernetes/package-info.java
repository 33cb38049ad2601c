/**
 * Elections as Leases of Kubernetes. {@link dev.tenure.kubernetes.KubernetesBackend} is what a URL opens; with {@code sessions=on} it is {@link
 * dev.tenure.kubernetes.SessionsStore}.
 */
@NullMarked
package dev.tenure.kubernetes;

import org.jspecify.annotations.NullMarked;
