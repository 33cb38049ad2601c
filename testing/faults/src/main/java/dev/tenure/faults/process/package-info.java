/** Processes that must not outlive the campaign. */
@NullMarked
package dev.tenure.faults.process;

import org.jspecify.annotations.NullMarked;
