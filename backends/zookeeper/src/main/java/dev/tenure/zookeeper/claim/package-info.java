/**
 * Claims as latches, in the layout of Curator's LeaderLatch. Read {@code LatchCandidacy} first: one session in one election. {@code LatchEntry}
 * is its latch there, {@code ParticipantOrder} the queue.
 *
 * <p>{@code LatchCandidacies} is all of one session. {@code BatchedCalls} sends together what several of them ask for, {@code TermRecordWriter}
 * records the terms that began.
 */
@NullMarked
package dev.tenure.zookeeper.claim;

import org.jspecify.annotations.NullMarked;
