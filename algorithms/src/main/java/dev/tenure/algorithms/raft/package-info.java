/** The election of Raft, with pre-vote, check-quorum and a leader's lease. */
@NullMarked
package dev.tenure.algorithms.raft;

import org.jspecify.annotations.NullMarked;
