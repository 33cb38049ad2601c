/** Real servers of Consul for tests and measurements. Unpublished. */
@NullMarked
package dev.tenure.consul.servers;

import org.jspecify.annotations.NullMarked;
