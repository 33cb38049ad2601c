/** What is measured on: one real cluster, which counts the requests that reach it. */
@NullMarked
package dev.tenure.bench.peers.store;

import org.jspecify.annotations.NullMarked;
