/**
 * What carries out the machines' effects, on the one loop of a client. Read {@code CandidacyRunner} first: it runs one candidacy
 * from its claim to its release. {@code Engine} has what the candidacies of a client share, and {@code SessionRunner} keeps their
 * session; any thread may call {@code CandidacyHandle}, {@code Observers} and {@code ExclusiveRuns}.
 */
@NullMarked
package dev.tenure.internal.runtime;

import org.jspecify.annotations.NullMarked;
