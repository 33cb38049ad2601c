/**
 * One term as user code meets it. Read {@code LeadershipHandle} first: it is what a duty is handed, for any thread, and it asks
 * {@code SharedAuthority} for the deadline. {@code TermTask} begins and stops the user's code, which {@code CandidacySpec}
 * names; {@code ExclusiveRun} hands a term to a thread that waits for it.
 */
@NullMarked
package dev.tenure.internal.runtime.term;

import org.jspecify.annotations.NullMarked;
