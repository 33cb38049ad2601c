/** Output, for people and for programs. */
@NullMarked
package dev.tenure.cli.text;

import org.jspecify.annotations.NullMarked;
