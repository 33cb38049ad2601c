/**
 * {@code Host} for production: the one place that touches clocks, threads and randomness. Read {@code SystemHost} first; its
 * loop is {@code EventLoop}, and everything that may block runs in a {@code GrowingExecutor}.
 */
@NullMarked
package dev.tenure.internal.host;

import org.jspecify.annotations.NullMarked;
