package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Card;
import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.algorithms.bully.BullyMessage;
import dev.tenure.algorithms.quorum.QuorumMessage;
import dev.tenure.algorithms.raft.LogPosition;
import dev.tenure.algorithms.raft.RaftMessage;
import dev.tenure.algorithms.ring.RingMessage;
import dev.tenure.peers.PeerMessage.Answer;
import dev.tenure.peers.PeerMessage.Question;
import dev.tenure.spi.OperatorRequest;
import java.io.ByteArrayOutputStream;
import java.net.ProtocolException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class FrameCodecTest {
    private static final ElectionName NAME = ElectionName.of("a b/\u6771");
    private static final Holding HOLDING = new Holding(
            NAME,
            FencingToken.of(2, 77),
            3,
            new Nonce(1, 2),
            2,
            "pod-7",
            1234,
            Card.EMPTY.with("address", "h:1"),
            Holding.Fate.ENDED);

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
                .map(message -> new PeerMessage.Said(NAME, message));
        Stream<PeerMessage> others = Stream.of(
                new PeerMessage.Beat(),
                new PeerMessage.Stands(NAME, true),
                new PeerMessage.YourTurn(NAME, 20),
                new PeerMessage.Put(21, HOLDING),
                new PeerMessage.Changed(NAME),
                new PeerMessage.Ask(22, new Question.Look(NAME)),
                new PeerMessage.Ask(23, new Question.LookAll()),
                new PeerMessage.Ask(24, new Question.Era(3)),
                new PeerMessage.Ask(
                        25,
                        new Question.Deliver(
                                new OperatorRequest(NAME, OperatorRequest.Verb.RESIGN, new FencingToken(5), "ops"))),
                new PeerMessage.Told(26, new Answer.Sight(HOLDING, true)),
                new PeerMessage.Told(27, new Answer.Seen()),
                new PeerMessage.Told(28, new Answer.EraIs(4)),
                new PeerMessage.Told(29, new Answer.Delivered(true)));
        return Stream.concat(messages, others).toList();
    }

    private static byte[] frame() {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        items().forEach(item -> frame.writeBytes(FrameCodec.write(item)));
        return frame.toByteArray();
    }

    @Test
    void every_item_comes_back_as_it_was() throws ProtocolException {
        assertThat(FrameCodec.readAll(frame())).isEqualTo(items());
    }

    @Test
    void the_bytes_of_a_version_do_not_change_unnoticed() {
        CRC32 sum = new CRC32();
        sum.update(frame());

        assertThat(Handshake.VERSION).isEqualTo(3);
        assertThat(sum.getValue()).as("if it must change, raise the version").isEqualTo(1_117_714_952L);
    }

    @Test
    void a_frame_that_is_cut_anywhere_is_either_shorter_or_garbage() {
        byte[] frame = frame();

        for (int length = 0; length < frame.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(frame, length);
            try {
                List<PeerMessage> read = FrameCodec.readAll(cut);
                assertThat(read).isEqualTo(items().subList(0, read.size()));
            } catch (ProtocolException expected) {
                assertThat(expected).hasMessageNotContaining("null pointer");
            }
        }
    }

    @Test
    void garbage_is_told_as_such_and_nothing_else_happens() {
        Random random = new Random(2);
        for (int i = 0; i < 20_000; i++) {
            byte[] garbage = new byte[random.nextInt(100)];
            random.nextBytes(garbage);
            try {
                FrameCodec.readAll(garbage);
            } catch (ProtocolException expected) {
                continue;
            }
        }

        assertThatThrownBy(() -> FrameCodec.readAll(new byte[] {99})).isInstanceOf(ProtocolException.class);
    }
}
