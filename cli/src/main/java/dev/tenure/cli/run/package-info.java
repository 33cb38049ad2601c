/** {@code tenure run}: a command that runs only while this process leads. */
@NullMarked
package dev.tenure.cli.run;

import org.jspecify.annotations.NullMarked;
