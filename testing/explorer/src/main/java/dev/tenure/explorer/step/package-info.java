/**
 * What can happen next, and what comes of it. Read {@link dev.tenure.explorer.step.Moves} first, which lists the moves, then {@link
 * dev.tenure.explorer.step.Steps}, which makes one: at the loop of a node, its duty or the store.
 */
@NullMarked
package dev.tenure.explorer.step;

import org.jspecify.annotations.NullMarked;
