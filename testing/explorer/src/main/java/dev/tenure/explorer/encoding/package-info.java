/**
 * States as bytes, so that millions of them fit into memory and two that differ only in names are one. Read {@link
 * dev.tenure.explorer.encoding.CanonicalEncoder} first: it renames nodes and numbers.
 */
@NullMarked
package dev.tenure.explorer.encoding;

import org.jspecify.annotations.NullMarked;
