/**
 * Claims as latches, in the layout of Curator's LeaderLatch: {@code LatchCandidacies} is all of one session, {@code LatchCandidacy} one of
 * them, {@code LatchEntry} its latch in the store. {@code ParticipantOrder} and {@code ElectionSnapshot} are what was read of an
 * election, and {@code BatchedCalls} sends together what several candidacies ask for. Read {@code LatchCandidacy} first.
 */
@NullMarked
package dev.tenure.zookeeper.claim;

import org.jspecify.annotations.NullMarked;
