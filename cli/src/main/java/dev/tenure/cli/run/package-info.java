/**
 * {@code tenure run}: a command that runs only while this process leads. {@link dev.tenure.cli.run.RunCommand} puts it together and
 * {@link dev.tenure.cli.run.ChildDuty} is the duty: read these first. Signals, the time to wait for a store and what people are told
 * are a class each.
 */
@NullMarked
package dev.tenure.cli.run;

import org.jspecify.annotations.NullMarked;
