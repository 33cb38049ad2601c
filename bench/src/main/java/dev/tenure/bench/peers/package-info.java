/** Tenure beside its peers: the same servers, the same rounds, the same stopwatch. */
@NullMarked
package dev.tenure.bench.peers;

import org.jspecify.annotations.NullMarked;
