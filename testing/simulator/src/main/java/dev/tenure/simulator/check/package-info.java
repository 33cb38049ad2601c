/**
 * What is true in a world, and one checker for each property that must hold in it. Read {@link
 * dev.tenure.simulator.check.GroundTruth} first: it is told of everything, keeps the facts and asks the checkers. A checker is
 * named for its property, and a {@link dev.tenure.simulator.check.PropertyViolation} is what it reports.
 */
@NullMarked
package dev.tenure.simulator.check;

import org.jspecify.annotations.NullMarked;
