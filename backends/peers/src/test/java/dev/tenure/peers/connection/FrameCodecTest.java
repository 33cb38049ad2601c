// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.algorithms.bully.BullyMessage;
import dev.tenure.algorithms.quorum.LeaseMessage;
import dev.tenure.algorithms.quorum.QuorumMessage;
import dev.tenure.algorithms.raft.LogPosition;
import dev.tenure.algorithms.raft.RaftMessage;
import dev.tenure.algorithms.ring.RingMessage;
import dev.tenure.peers.connection.PeerMessage.Answer;
import dev.tenure.peers.connection.PeerMessage.LeaderRecord;
import dev.tenure.peers.connection.PeerMessage.Question;
import dev.tenure.spi.OperatorRequest;
import java.net.ProtocolException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FrameCodecTest {
    private static final ElectionName NAME = ElectionName.of("a b/\u6771");
    private static final LeaderRecord HOLDING = new LeaderRecord(
            new Term(NAME, FencingToken.of(2, 77), new Nonce(1, 2), "pod-7"),
            3,
            2,
            1234,
            LeaderMetadata.EMPTY.with("address", "h:1"),
            LeaderRecord.Fate.ENDED);

    private static List<PeerMessage> items() {
        Stream<PeerMessage> messages = Stream.of(
                        new RaftMessage.PreVote(1, LogPosition.EMPTY),
                        new RaftMessage.PreVoted(2, true),
                        new RaftMessage.RequestVote(3, LogPosition.EMPTY),
                        new RaftMessage.Voted(4, false),
                        new RaftMessage.Append(5, LogPosition.EMPTY, 6),
                        new RaftMessage.Appended(7, LogPosition.EMPTY, 8),
                        new RaftMessage.Resigned(9, 2),
                        new QuorumMessage.Stand(10),
                        new QuorumMessage.Vote(11),
                        new QuorumMessage.Refuse(12),
                        new QuorumMessage.Leads(13, true),
                        new LeaseMessage.Keep(14, 15),
                        new LeaseMessage.Kept(16, 17),
                        new LeaseMessage.Left(18, 19),
                        new BullyMessage.Election(),
                        new BullyMessage.Ok(),
                        new BullyMessage.Coordinator(),
                        new RingMessage.Roll(List.of(3, 1, 2)),
                        new RingMessage.Bid(4),
                        new RingMessage.Elected(5, 6))
                .map(message -> new PeerMessage.AlgorithmMessage(NAME, message));
        Stream<PeerMessage> others = Stream.of(
                new PeerMessage.Beat(),
                new PeerMessage.Stands(NAME, true),
                new PeerMessage.Put(21, HOLDING),
                new PeerMessage.Changed(NAME),
                new PeerMessage.Ask(22, new Question.Look(NAME)),
                new PeerMessage.Ask(23, new Question.LookAll()),
                new PeerMessage.Ask(24, new Question.Era(3)),
                new PeerMessage.Ask(
                        25,
                        new Question.Deliver(
                                new OperatorRequest(NAME, OperatorRequest.Verb.RESIGN, new FencingToken(5), "ops"))),
                new PeerMessage.AnswerMessage(26, new Answer.Observed(HOLDING, true)),
                new PeerMessage.AnswerMessage(27, new Answer.Seen()),
                new PeerMessage.AnswerMessage(28, new Answer.EraIs(4)),
                new PeerMessage.AnswerMessage(29, new Answer.Delivered(true)));
        return Stream.concat(messages, others).toList();
    }

    private static byte[] bytes(PeerMessage item) {
        return FrameCodec.encode(PeerMessage.class, item);
    }

    @Test
    void every_item_comes_back_as_it_was() throws ProtocolException {
        for (PeerMessage item : items()) {
            assertThat(FrameCodec.decode(PeerMessage.class, bytes(item))).isEqualTo(item);
        }
    }

    @Test
    void a_frame_that_is_cut_anywhere_is_garbage() {
        for (PeerMessage item : items()) {
            byte[] frame = bytes(item);
            for (int length = 0; length < frame.length; length++) {
                byte[] cut = java.util.Arrays.copyOf(frame, length);
                assertThatThrownBy(() -> FrameCodec.decode(PeerMessage.class, cut))
                        .isInstanceOf(ProtocolException.class);
            }
        }
    }

    @Test
    void garbage_is_told_as_such_and_nothing_else_happens() {
        Random random = new Random(2);
        for (int i = 0; i < 20_000; i++) {
            byte[] garbage = new byte[random.nextInt(100)];
            random.nextBytes(garbage);
            assertThatThrownBy(() -> FrameCodec.decode(PeerMessage.class, garbage))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessageContaining("another protocol");
        }
    }

    @Test
    void nothing_is_made_of_bytes_but_what_belongs_there() {
        byte[] answer = FrameCodec.encode(Answer.class, new Answer.Seen());
        byte[] text =
                new byte[] {0, 16, 'j', 'a', 'v', 'a', '.', 'l', 'a', 'n', 'g', '.', 'O', 'b', 'j', 'e', 'c', 't'};

        assertThatThrownBy(() -> FrameCodec.decode(PeerMessage.class, answer)).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> FrameCodec.decode(PeerMessage.class, text)).isInstanceOf(ProtocolException.class);
    }
}
