package dev.tenure.zookeeper.claim;

import dev.tenure.Card;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.support.RecordCodec;

/**
 * The participant that owns a latch. Its data is what Curator calls the participant's id: any text. Tenure's is a record;
 * whatever else is found there is the id of a peer and shown as its name.
 *
 * @param foreign true if the data was not written by Tenure
 */
record Participant(String holder, Card card, boolean foreign) {
    private static final String HEADING = "tenure claim 1";
    private static final RecordCodec CODEC = new RecordCodec(HEADING);
    private static final int SHOWN_MAX = 200;

    static String text(ClaimRequest request) {
        return CODEC.lines()
                .add("holder", request.holder())
                .add("nonce", request.nonce())
                .addAll("card.", request.card().entries())
                .text();
    }

    /** @param name of the znode, shown if its owner has left no id */
    static Participant of(String name, String text) {
        return CODEC.find(
                        text, fields -> new Participant(fields.text("holder"), new Card(fields.under("card.")), false))
                .orElseGet(() -> peer(name, text));
    }

    private static Participant peer(String name, String text) {
        String id = text.strip();
        String shown = id.isEmpty() ? name : id.substring(0, Math.min(id.length(), SHOWN_MAX));
        return new Participant(shown, Card.EMPTY, true);
    }

    /** Does this text carry the nonce, in a line of its own? The name of the znode is made from it; the text must agree. */
    static boolean carries(String text, Nonce nonce) {
        return text.startsWith(HEADING + "\n") && text.contains("\nnonce=" + nonce + "\n");
    }
}
