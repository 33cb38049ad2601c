package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.algorithms.Message;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import java.util.Optional;

/** What members say to each other. Many items travel in one frame. */
sealed interface PeerMessage {
    /** I live. Said with every heartbeat. */
    record Beat() implements PeerMessage {}

    /** A message from machine to machine. */
    record Said(ElectionName election, Message message) implements PeerMessage {}

    /** Somebody here wants to lead this election, or nobody does any more. */
    record Stands(ElectionName election, boolean yes) implements PeerMessage {}

    /** The leader of this term has resigned, and would like you to be the next. */
    record YourTurn(ElectionName election, long term) implements PeerMessage {}

    /** Keep this, and tell me that you have it. */
    record Put(long id, Holding holding) implements PeerMessage {}

    record Ask(long id, Question question) implements PeerMessage {}

    record Told(long id, Answer answer) implements PeerMessage {}

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
        record Sight(Holding holding, boolean alive) implements Answer {
            Observation observation() {
                Optional<Leader> leader = alive ? Optional.of(holding.leader()) : Optional.empty();
                return new Observation(
                        holding.election(), leader, holding.token().value());
            }
        }

        /** The last one of a look. */
        record Seen() implements Answer {}

        /** It is done, on the disk; and this is the era now. */
        record EraIs(int era) implements Answer {}

        /** @param held was there somebody to deliver it to? */
        record Delivered(boolean held) implements Answer {}
    }
}
