/**
 * Claims as latches, in the layout of Curator's LeaderLatch. Read {@code LatchCandidacy} first: one session in one election. {@code LatchEntry}
 * is its latch there, {@code ParticipantOrder} the queue.
 *
 * <p>{@code LatchCreator}, {@code LatchRemover}, {@code SnapshotReader} and {@code TermRecordWriter} send what several candidacies of one session
 * ask for together in one request. {@code LatchCandidacies} is all of one session.
 */
@NullMarked
package dev.tenure.zookeeper.claim;

import org.jspecify.annotations.NullMarked;
