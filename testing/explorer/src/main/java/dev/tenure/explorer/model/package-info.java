/**
 * One state of the explored world: nodes with their machines, messages under way, the store; and what must hold in it. Read {@link
 * dev.tenure.explorer.model.ModelWorld} first; {@link dev.tenure.explorer.model.MutableWorld} is its draft while a step is made, and
 * {@link dev.tenure.explorer.model.ModelChecks} has the properties.
 */
@NullMarked
package dev.tenure.explorer.model;

import org.jspecify.annotations.NullMarked;
