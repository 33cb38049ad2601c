/**
 * What users test their duties with: real elections over an in-memory store, in virtual time. Nothing sleeps, nothing is
 * random, and the same seed gives the same run. {@link dev.tenure.testing.FakeElections} is the way in.
 */
@NullMarked
package dev.tenure.testing;

import org.jspecify.annotations.NullMarked;
