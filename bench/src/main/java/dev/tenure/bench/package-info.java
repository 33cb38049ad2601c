/** Figures for the docs: each program prints what it measured and how. Unpublished. */
@NullMarked
package dev.tenure.bench;

import org.jspecify.annotations.NullMarked;
