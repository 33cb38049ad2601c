/**
 * {@code tenure demo}: real processes, a real crash, a real pause, and a ledger with a fence. Read {@link
 * dev.tenure.cli.demo.DemoCommand} first: it has the play, and {@link dev.tenure.cli.demo.DemoCandidate} is each of its processes. It lives
 * in real time.
 */
@NullMarked
package dev.tenure.cli.demo;

import org.jspecify.annotations.NullMarked;
