/** Schedulers and leaders beside each other: what becomes of a job's effects when a process is stopped, killed, or has a wrong clock. */
@NullMarked
package dev.tenure.bench.compared;

import org.jspecify.annotations.NullMarked;
