// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.claim;

import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.support.RecordCodec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The participants of one election in their order, by the names of their znodes.
 *
 * <p>A name is {@code _c_<uuid>-latch-<sequence>}, as Curator's LeaderLatch writes it. Curator takes a random uuid to find
 * its znode again when the reply to its creation was lost; here the uuid is the nonce of the claim, so that a claim that is
 * repeated finds what its first attempt has left. The order is exactly Curator's: the text after the last
 * {@code latch-}, or the whole name where there is none, compared as text. Two that disagree about the order would both
 * lead.
 */
public record ParticipantOrder(List<String> names) {
    private static final String MARK = "latch-";
    private static final String PROTECTION = "_c_";
    private static final int UUID_CHARS = 36;

    public static ParticipantOrder of(List<String> children) {
        if (children.size() <= 1) {
            return new ParticipantOrder(children);
        }
        List<String> sorted = new ArrayList<>(children);
        sorted.sort(Comparator.comparing(ParticipantOrder::sortKey));
        return new ParticipantOrder(List.copyOf(sorted));
    }

    private static String sortKey(String name) {
        int mark = name.lastIndexOf(MARK);
        return mark < 0 ? name : name.substring(mark + MARK.length());
    }

    /** The name that a creation asks for; ZooKeeper appends the sequence. */
    static String prefix(Nonce nonce) {
        return PROTECTION + new UUID(nonce.high(), nonce.low()) + "-" + MARK;
    }

    public static boolean isOf(String name, Nonce nonce) {
        return name.startsWith(prefix(nonce));
    }

    /** The nonce in a name. Curator's uuids look the same, so it is no proof of the owner. */
    static Optional<Nonce> nonce(String name) {
        int end = PROTECTION.length() + UUID_CHARS;
        if (!name.startsWith(PROTECTION) || name.length() < end) {
            return Optional.empty();
        }
        try {
            UUID uuid = UUID.fromString(name.substring(PROTECTION.length(), end));
            return Optional.of(new Nonce(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits()));
        } catch (IllegalArgumentException notAUuid) {
            return Optional.empty();
        }
    }

    public Optional<String> first() {
        return names.isEmpty() ? Optional.empty() : Optional.of(names.get(0));
    }

    boolean isFirst(String name) {
        return !names.isEmpty() && names.get(0).equals(name);
    }

    boolean contains(String name) {
        return names.contains(name);
    }

    /** The one right before this name; empty if it is the first, or not there. */
    Optional<String> before(String name) {
        int at = names.indexOf(name);
        return at > 0 ? Optional.of(names.get(at - 1)) : Optional.empty();
    }

    /**
     * The participant that owns a latch. Its data is what Curator calls the participant's id: any text. Tenure's is a record;
     * whatever else is found there is the id of a peer and shown as its name.
     *
     * @param foreign true if the data was not written by Tenure
     */
    record Participant(String holder, LeaderMetadata metadata, boolean foreign) {
        private static final String HEADING = "tenure claim 1";
        private static final RecordCodec CODEC = new RecordCodec(HEADING);
        private static final int SHOWN_MAX = 200;

        static String text(ClaimRequest request) {
            return CODEC.lines()
                    .add("holder", request.holder())
                    .add("nonce", request.nonce())
                    .addAll("card.", request.metadata().entries())
                    .text();
        }

        /** @param name of the znode, shown if its owner has left no id */
        static Participant of(String name, String text) {
            return CODEC.find(
                            text,
                            fields -> new Participant(
                                    fields.text("holder"), new LeaderMetadata(fields.under("card.")), false))
                    .orElseGet(() -> peer(name, text));
        }

        private static Participant peer(String name, String text) {
            String id = text.strip();
            String shown = id.isEmpty() ? name : id.substring(0, Math.min(id.length(), SHOWN_MAX));
            return new Participant(shown, LeaderMetadata.EMPTY, true);
        }

        /** Does this text carry the nonce, in a line of its own? The name of the znode is made from it; the text must agree. */
        static boolean carries(String text, Nonce nonce) {
            return text.startsWith(HEADING + "\n") && text.contains("\nnonce=" + nonce + "\n");
        }
    }
}
