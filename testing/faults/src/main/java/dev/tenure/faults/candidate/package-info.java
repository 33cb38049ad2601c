/** One candidate: the program that runs in a process of its own, and that process as the campaign sees it. */
@NullMarked
package dev.tenure.faults.candidate;

import org.jspecify.annotations.NullMarked;
