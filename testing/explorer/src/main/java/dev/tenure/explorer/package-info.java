/**
 * Explores every state that the machines of session and election can reach within bounds. Read {@link
 * dev.tenure.explorer.Explorer} first: it searches breadth first, so that the first history which breaks a property is a shortest
 * one. {@link dev.tenure.explorer.Bounds} says how large the world is, and {@link dev.tenure.explorer.NegativeCheck} proves
 * that broken rules are found.
 */
@NullMarked
package dev.tenure.explorer;

import org.jspecify.annotations.NullMarked;
