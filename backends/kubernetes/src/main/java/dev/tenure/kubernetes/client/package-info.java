/** The API server as this store sees it: requests about Leases, what they mean when they fail, and a watch. Begin with {@code LeaseApi}. */
@NullMarked
package dev.tenure.kubernetes.client;

import org.jspecify.annotations.NullMarked;
