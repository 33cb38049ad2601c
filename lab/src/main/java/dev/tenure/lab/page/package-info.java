/** A run as one page that needs nothing else: its style, its script and its data are in it. */
@NullMarked
package dev.tenure.lab.page;

import org.jspecify.annotations.NullMarked;
