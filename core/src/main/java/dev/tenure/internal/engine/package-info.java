/** The pure machines of session and election: no clock, no thread, no I/O, no chance inside. */
@NullMarked
package dev.tenure.internal.engine;

import org.jspecify.annotations.NullMarked;
