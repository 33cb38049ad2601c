/**
 * Elections as Leases of Kubernetes. {@link dev.tenure.kubernetes.KubernetesBackend} is what a URL opens.
 */
@NullMarked
package dev.tenure.kubernetes;

import org.jspecify.annotations.NullMarked;
