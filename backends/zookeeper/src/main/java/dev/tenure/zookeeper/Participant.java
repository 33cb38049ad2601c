package dev.tenure.zookeeper;

import dev.tenure.Card;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimRequest;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Who stands behind a latch znode. Its data is what Curator calls the participant's id: any text. Tenure's is a record;
 * whatever else is found there is the id of a peer and shown as its name.
 */
record Participant(String holder, Card card) {
    private static final String HEADING = "tenure claim 1";
    private static final int SHOWN_MAX = 200;

    static byte[] data(ClaimRequest request) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("holder", request.holder());
        fields.put("nonce", request.nonce().toString());
        request.card().entries().forEach((name, value) -> fields.put("card." + name, value));
        return new RecordText(fields).encode(HEADING);
    }

    /** @param name of the znode, shown if its owner has left no id */
    static Participant of(String name, String text) {
        try {
            return RecordText.decode(HEADING, text)
                    .map(record -> new Participant(record.text("holder"), new Card(record.under("card."))))
                    .orElseGet(() -> peer(name, text));
        } catch (IllegalArgumentException damaged) {
            return peer(name, text);
        }
    }

    private static Participant peer(String name, String text) {
        String id = text.strip();
        String shown = id.isEmpty() ? name : id.substring(0, Math.min(id.length(), SHOWN_MAX));
        return new Participant(shown, Card.EMPTY);
    }

    /** Does this text carry the nonce, in a line of its own? The name of the znode is made from it; the text must agree. */
    static boolean carries(String text, String nonceLine) {
        return text.startsWith(HEADING + "\n") && text.contains(nonceLine);
    }

    /** With the ends of the lines around it. */
    static String nonceLine(Nonce nonce) {
        return "\nnonce=" + nonce + "\n";
    }
}
