/** The contenders that are measured, each written as a sensible user of that library would write it. */
@NullMarked
package dev.tenure.bench.peers.contender;

import org.jspecify.annotations.NullMarked;
