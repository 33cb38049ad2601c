/** Libraries and programs that hold a lock. Their users make a leader of it. */
@NullMarked
package dev.tenure.bench.peers.contender.lock;

import org.jspecify.annotations.NullMarked;
