/** Real servers of ZooKeeper for tests and measurements. Unpublished. */
@NullMarked
package dev.tenure.zookeeper.ensemble;

import org.jspecify.annotations.NullMarked;
