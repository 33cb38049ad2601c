// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers.connection;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import dev.tenure.Term;
import dev.tenure.algorithms.Message;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import java.time.Instant;
import java.util.Optional;

/** What members say to each other. Many items travel in one frame. */
public sealed interface PeerMessage {
    /** I live. Said with every heartbeat. */
    record Beat() implements PeerMessage {}

    /** A message from machine to machine. */
    record AlgorithmMessage(ElectionName election, Message message) implements PeerMessage {}

    /** Somebody here wants to lead this election, or nobody does any more. */
    record Stands(ElectionName election, boolean yes) implements PeerMessage {}

    /** Keep this, and tell me that you have it. */
    record Put(long id, LeaderRecord record) implements PeerMessage {}

    record Ask(long id, Question question) implements PeerMessage {}

    record AnswerMessage(long id, Answer answer) implements PeerMessage {}

    /** To those who only look: this election may have changed. */
    record Changed(ElectionName election) implements PeerMessage {}

    sealed interface Question {
        record Look(ElectionName election) implements Question {}

        record LookAll() implements Question {}

        /** Raises the era to at least this; 0 only asks. */
        record Era(int atLeast) implements Question {}

        record Deliver(OperatorRequest request) implements Question {}
    }

    sealed interface Answer {
        /**
         * Of a look, one for each election.
         *
         * @param alive does the holder lead now, as far as the one who says so can tell?
         */
        record Observed(LeaderRecord record, boolean alive) implements Answer {
            public Observation observation() {
                Optional<Leader> leader = alive ? Optional.of(record.leader()) : Optional.empty();
                return new Observation(record.election(), leader, record.token().value());
            }
        }

        /** The last one of a look. */
        record Seen() implements Answer {}

        /** It is done, on the disk; and this is the era now. */
        record EraIs(int era) implements Answer {}

        /** @param held was there somebody to deliver it to? */
        record Delivered(boolean held) implements Answer {}
    }

    /**
     * What a leader tells the group of its term, and a majority keeps before anybody is told that it leads.
     *
     * @param version grows with every word about the same token
     * @param member the number of the member that leads
     */
    record LeaderRecord(Term term, int version, int member, long sinceMillis, LeaderMetadata metadata, Fate fate) {
        public enum Fate {
            HELD,
            RELEASED,
            /** Its session ended without a word. */
            ENDED
        }

        public ElectionName election() {
            return term.election();
        }

        public FencingToken token() {
            return term.token();
        }

        public boolean isNewerThan(LeaderRecord other) {
            int byToken = token().compareTo(other.token());
            return byToken != 0 ? byToken > 0 : version > other.version;
        }

        public LeaderRecord become(Fate next) {
            return new LeaderRecord(term, version + 1, member, sinceMillis, metadata, next);
        }

        public LeaderRecord under(FencingToken raised) {
            Term higher = new Term(election(), raised, term.nonce(), term.holder());
            return new LeaderRecord(higher, version + 1, member, sinceMillis, metadata, fate);
        }

        public Leader leader() {
            return new Leader(election(), term.holder(), token(), Instant.ofEpochMilli(sinceMillis), metadata);
        }
    }
}
