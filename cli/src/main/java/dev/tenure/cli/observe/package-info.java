/** {@code tenure status} and {@code tenure watch}: who leads. */
@NullMarked
package dev.tenure.cli.observe;

import org.jspecify.annotations.NullMarked;
