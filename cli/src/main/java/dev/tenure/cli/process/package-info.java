/**
 * The supervised child of {@code tenure run}. {@link dev.tenure.cli.process.Guardian} starts a small second process,
 * without a JVM, that owns the child and ends its whole tree by the end of the term, also when the supervisor is
 * stopped or killed. Read that class first, then {@link dev.tenure.cli.process.ChildProcess}.
 *
 * <p>This package lives in real time and owns one daemon thread for each guardian.
 */
@NullMarked
package dev.tenure.cli.process;

import org.jspecify.annotations.NullMarked;
