/** {@code tenure demo}: real processes, a real crash, a real pause, and a ledger with a fence. Lives in real time. */
@NullMarked
package dev.tenure.cli.demo;

import org.jspecify.annotations.NullMarked;
