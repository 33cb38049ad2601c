package dev.tenure.peers;

import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.bully.BullyMessage;
import dev.tenure.algorithms.quorum.QuorumMessage;
import dev.tenure.algorithms.raft.LogPosition;
import dev.tenure.algorithms.raft.RaftMessage;
import dev.tenure.algorithms.ring.RingMessage;
import dev.tenure.peers.wire.Garbled;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The messages of the machines as bytes. Where Raft's log ends is not sent: here nothing is replicated, and there is none. */
final class MessageText {
    private static final int ROLL_MAX = 64;

    private MessageText() {}

    static void write(DataOutputStream out, Message message) throws IOException {
        if (message instanceof RaftMessage raft) {
            writeRaft(out, raft);
        } else if (message instanceof LeaseMessage lease) {
            writeLease(out, lease);
        } else if (message instanceof QuorumMessage quorum) {
            writeQuorum(out, quorum);
        } else if (message instanceof BullyMessage bully) {
            out.writeByte(bully instanceof BullyMessage.Election ? 20 : bully instanceof BullyMessage.Ok ? 21 : 22);
        } else if (message instanceof RingMessage ring) {
            writeRing(out, ring);
        } else {
            throw new IllegalStateException("no bytes for " + message);
        }
    }

    private static void writeRaft(DataOutputStream out, RaftMessage message) throws IOException {
        if (message instanceof RaftMessage.PreVote) {
            out.writeByte(1);
            out.writeLong(message.term());
        } else if (message instanceof RaftMessage.PreVoted voted) {
            out.writeByte(2);
            out.writeLong(voted.term());
            out.writeBoolean(voted.granted());
        } else if (message instanceof RaftMessage.RequestVote) {
            out.writeByte(3);
            out.writeLong(message.term());
        } else if (message instanceof RaftMessage.Voted voted) {
            out.writeByte(4);
            out.writeLong(voted.term());
            out.writeBoolean(voted.granted());
        } else if (message instanceof RaftMessage.Append append) {
            out.writeByte(5);
            out.writeLong(append.term());
            out.writeLong(append.sentNanos());
        } else if (message instanceof RaftMessage.Appended appended) {
            out.writeByte(6);
            out.writeLong(appended.term());
            out.writeLong(appended.sentNanos());
        } else if (message instanceof RaftMessage.Resigned resigned) {
            out.writeByte(7);
            out.writeLong(resigned.term());
            out.writeByte(resigned.who());
        }
    }

    private static void writeLease(DataOutputStream out, LeaseMessage message) throws IOException {
        if (message instanceof LeaseMessage.Keep keep) {
            out.writeByte(15);
            out.writeLong(keep.term());
            out.writeLong(keep.sentNanos());
        } else if (message instanceof LeaseMessage.Kept kept) {
            out.writeByte(16);
            out.writeLong(kept.term());
            out.writeLong(kept.sentNanos());
        } else if (message instanceof LeaseMessage.Left left) {
            out.writeByte(17);
            out.writeLong(left.term());
            out.writeByte(left.who());
        }
    }

    private static void writeQuorum(DataOutputStream out, QuorumMessage message) throws IOException {
        if (message instanceof QuorumMessage.Leads leads) {
            out.writeByte(13);
            out.writeLong(leads.term());
            out.writeBoolean(leads.again());
            return;
        }
        out.writeByte(message instanceof QuorumMessage.Stand ? 10 : message instanceof QuorumMessage.Vote ? 11 : 12);
        out.writeLong(message.term());
    }

    private static void writeRing(DataOutputStream out, RingMessage message) throws IOException {
        if (message instanceof RingMessage.Roll roll) {
            out.writeByte(30);
            out.writeByte(roll.ids().size());
            for (int id : roll.ids()) {
                out.writeByte(id);
            }
        } else if (message instanceof RingMessage.Bid bid) {
            out.writeByte(31);
            out.writeByte(bid.id());
        } else if (message instanceof RingMessage.Elected elected) {
            out.writeByte(32);
            out.writeByte(elected.leader());
            out.writeByte(elected.origin());
        } else {
            throw new IllegalStateException("no bytes for " + message);
        }
    }

    static Message read(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case 1 -> new RaftMessage.PreVote(in.readLong(), LogPosition.EMPTY);
            case 2 -> new RaftMessage.PreVoted(in.readLong(), in.readBoolean());
            case 3 -> new RaftMessage.RequestVote(in.readLong(), LogPosition.EMPTY);
            case 4 -> new RaftMessage.Voted(in.readLong(), in.readBoolean());
            case 5 -> new RaftMessage.Append(in.readLong(), LogPosition.EMPTY, in.readLong());
            case 6 -> new RaftMessage.Appended(in.readLong(), LogPosition.EMPTY, in.readLong());
            case 7 -> new RaftMessage.Resigned(in.readLong(), in.readUnsignedByte());
            case 10 -> new QuorumMessage.Stand(in.readLong());
            case 11 -> new QuorumMessage.Vote(in.readLong());
            case 12 -> new QuorumMessage.Refuse(in.readLong());
            case 13 -> new QuorumMessage.Leads(in.readLong(), in.readBoolean());
            case 15 -> new LeaseMessage.Keep(in.readLong(), in.readLong());
            case 16 -> new LeaseMessage.Kept(in.readLong(), in.readLong());
            case 17 -> new LeaseMessage.Left(in.readLong(), in.readUnsignedByte());
            case 20 -> new BullyMessage.Election();
            case 21 -> new BullyMessage.Ok();
            case 22 -> new BullyMessage.Coordinator();
            case 30 -> roll(in);
            case 31 -> new RingMessage.Bid(in.readUnsignedByte());
            case 32 -> new RingMessage.Elected(in.readUnsignedByte(), in.readUnsignedByte());
            default -> throw new Garbled("a message of kind " + kind);
        };
    }

    private static Message roll(DataInputStream in) throws IOException {
        int size = in.readUnsignedByte();
        if (size > ROLL_MAX) {
            throw new Garbled("a roll of " + size);
        }
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            ids.add(in.readUnsignedByte());
        }
        return new RingMessage.Roll(ids);
    }
}
