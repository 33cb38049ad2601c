/** A real kube-apiserver with its etcd, on loopback ports and in a temporary folder. {@link dev.tenure.kubernetes.apiserver.ApiServer} starts it. */
@NullMarked
package dev.tenure.kubernetes.apiserver;

import org.jspecify.annotations.NullMarked;
