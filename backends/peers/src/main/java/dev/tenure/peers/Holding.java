package dev.tenure.peers;

import dev.tenure.Card;
import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import java.time.Instant;

/**
 * What a leader tells the group of its term, and a majority keeps before anybody is told that it leads.
 *
 * @param version grows with every word about the same token
 * @param member the number of the member that leads
 */
record Holding(
        ElectionName election,
        FencingToken token,
        int version,
        Nonce nonce,
        int member,
        String node,
        long sinceMillis,
        Card card,
        Fate fate) {
    enum Fate {
        HELD,
        RELEASED,
        /** Its session ended without a word. */
        ENDED
    }

    boolean isNewerThan(Holding other) {
        int byToken = token.compareTo(other.token);
        return byToken != 0 ? byToken > 0 : version > other.version;
    }

    Holding become(Fate next) {
        return new Holding(election, token, version + 1, nonce, member, node, sinceMillis, card, next);
    }

    Holding under(FencingToken raised) {
        return new Holding(election, raised, version + 1, nonce, member, node, sinceMillis, card, fate);
    }

    Leader leader() {
        return new Leader(election, node, token, Instant.ofEpochMilli(sinceMillis), card);
    }
}
