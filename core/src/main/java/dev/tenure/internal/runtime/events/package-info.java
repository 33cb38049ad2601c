/**
 * How listeners and the log are told, off the loop, so that one that blocks delays nobody else. Read {@code EventStream} first:
 * each of its listeners has a {@code SerialExecutor}. {@code TransitionLog} has the words of the log.
 */
@NullMarked
package dev.tenure.internal.runtime.events;

import org.jspecify.annotations.NullMarked;
