/** Real servers of etcd for tests and measurements. Unpublished. */
@NullMarked
package dev.tenure.etcd.cluster;

import org.jspecify.annotations.NullMarked;
