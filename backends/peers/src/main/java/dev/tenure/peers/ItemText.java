package dev.tenure.peers;

import dev.tenure.Card;
import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.peers.Item.Answer;
import dev.tenure.peers.Item.Question;
import dev.tenure.peers.wire.Garbled;
import dev.tenure.spi.OperatorRequest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Items as bytes. What cannot be read is garbage, also where a seal fits: then the members run different code. */
final class ItemText {
    private static final int CARD_ENTRIES_MAX = Card.BYTES_MAX;

    private ItemText() {}

    static byte[] write(Item item) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            writeTo(out, item);
        } catch (IOException impossible) {
            throw new UncheckedIOException("writing to memory", impossible);
        }
        return bytes.toByteArray();
    }

    static List<Item> readAll(byte[] frame) throws Garbled {
        List<Item> items = new ArrayList<>();
        ByteArrayInputStream bytes = new ByteArrayInputStream(frame);
        DataInputStream in = new DataInputStream(bytes);
        try {
            while (bytes.available() > 0) {
                items.add(read(in));
            }
        } catch (IOException | IllegalArgumentException broken) {
            throw new Garbled("an item that cannot be read: " + broken.getMessage());
        }
        return items;
    }

    private static void writeTo(DataOutputStream out, Item item) throws IOException {
        if (item instanceof Item.Beat) {
            out.writeByte(1);
        } else if (item instanceof Item.Said said) {
            out.writeByte(2);
            out.writeUTF(said.election().value());
            MessageText.write(out, said.message());
        } else if (item instanceof Item.Stands stands) {
            out.writeByte(3);
            out.writeUTF(stands.election().value());
            out.writeBoolean(stands.yes());
        } else if (item instanceof Item.YourTurn turn) {
            out.writeByte(4);
            out.writeUTF(turn.election().value());
            out.writeLong(turn.term());
        } else if (item instanceof Item.Put put) {
            out.writeByte(5);
            out.writeLong(put.id());
            writeHolding(out, put.holding());
        } else if (item instanceof Item.Ask ask) {
            out.writeByte(6);
            out.writeLong(ask.id());
            writeQuestion(out, ask.question());
        } else if (item instanceof Item.Told told) {
            out.writeByte(7);
            out.writeLong(told.id());
            writeAnswer(out, told.answer());
        } else if (item instanceof Item.Changed changed) {
            out.writeByte(8);
            out.writeUTF(changed.election().value());
        }
    }

    private static Item read(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case 1 -> new Item.Beat();
            case 2 -> new Item.Said(election(in), MessageText.read(in));
            case 3 -> new Item.Stands(election(in), in.readBoolean());
            case 4 -> new Item.YourTurn(election(in), in.readLong());
            case 5 -> new Item.Put(in.readLong(), readHolding(in));
            case 6 -> new Item.Ask(in.readLong(), readQuestion(in));
            case 7 -> new Item.Told(in.readLong(), readAnswer(in));
            case 8 -> new Item.Changed(election(in));
            default -> throw new Garbled("an item of kind " + kind);
        };
    }

    private static void writeQuestion(DataOutputStream out, Question question) throws IOException {
        if (question instanceof Question.Look look) {
            out.writeByte(1);
            out.writeUTF(look.election().value());
        } else if (question instanceof Question.LookAll) {
            out.writeByte(2);
        } else if (question instanceof Question.Era era) {
            out.writeByte(3);
            out.writeInt(era.atLeast());
        } else if (question instanceof Question.Deliver deliver) {
            out.writeByte(4);
            out.writeUTF(deliver.request().election().value());
            out.writeLong(deliver.request().token().value());
            out.writeUTF(deliver.request().by());
        }
    }

    private static Question readQuestion(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case 1 -> new Question.Look(election(in));
            case 2 -> new Question.LookAll();
            case 3 -> new Question.Era(in.readInt());
            case 4 ->
                new Question.Deliver(new OperatorRequest(
                        election(in), OperatorRequest.Verb.RESIGN, new FencingToken(in.readLong()), in.readUTF()));
            default -> throw new Garbled("a question of kind " + kind);
        };
    }

    private static void writeAnswer(DataOutputStream out, Answer answer) throws IOException {
        if (answer instanceof Answer.Sight sight) {
            out.writeByte(1);
            writeHolding(out, sight.holding());
            out.writeBoolean(sight.alive());
        } else if (answer instanceof Answer.Seen) {
            out.writeByte(2);
        } else if (answer instanceof Answer.EraIs era) {
            out.writeByte(3);
            out.writeInt(era.era());
        } else if (answer instanceof Answer.Delivered delivered) {
            out.writeByte(4);
            out.writeBoolean(delivered.held());
        }
    }

    private static Answer readAnswer(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case 1 -> new Answer.Sight(readHolding(in), in.readBoolean());
            case 2 -> new Answer.Seen();
            case 3 -> new Answer.EraIs(in.readInt());
            case 4 -> new Answer.Delivered(in.readBoolean());
            default -> throw new Garbled("an answer of kind " + kind);
        };
    }

    private static void writeHolding(DataOutputStream out, Holding holding) throws IOException {
        out.writeUTF(holding.election().value());
        out.writeLong(holding.token().value());
        out.writeInt(holding.version());
        out.writeLong(holding.nonce().high());
        out.writeLong(holding.nonce().low());
        out.writeByte(holding.member());
        out.writeUTF(holding.node());
        out.writeLong(holding.sinceMillis());
        Map<String, String> entries = holding.card().entries();
        out.writeShort(entries.size());
        for (Map.Entry<String, String> entry : entries.entrySet()) {
            out.writeUTF(entry.getKey());
            out.writeUTF(entry.getValue());
        }
        out.writeByte(holding.fate().ordinal());
    }

    private static Holding readHolding(DataInputStream in) throws IOException {
        ElectionName election = election(in);
        FencingToken token = new FencingToken(in.readLong());
        int version = in.readInt();
        Nonce nonce = new Nonce(in.readLong(), in.readLong());
        int member = in.readUnsignedByte();
        String node = in.readUTF();
        long sinceMillis = in.readLong();
        int entries = in.readUnsignedShort();
        if (entries > CARD_ENTRIES_MAX) {
            throw new Garbled("a card of " + entries + " entries");
        }
        Map<String, String> card = new HashMap<>();
        for (int i = 0; i < entries; i++) {
            card.put(in.readUTF(), in.readUTF());
        }
        int fate = in.readUnsignedByte();
        if (fate >= Holding.Fate.values().length) {
            throw new Garbled("a fate of kind " + fate);
        }
        return new Holding(
                election,
                token,
                version,
                nonce,
                member,
                node,
                sinceMillis,
                new Card(card),
                Holding.Fate.values()[fate]);
    }

    private static ElectionName election(DataInputStream in) throws IOException {
        return ElectionName.of(in.readUTF());
    }
}
