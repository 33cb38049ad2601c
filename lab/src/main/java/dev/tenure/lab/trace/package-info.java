/** What a run leaves behind: messages, beliefs, faults, writes; and how it is shown. */
@NullMarked
package dev.tenure.lab.trace;

import org.jspecify.annotations.NullMarked;
