package dev.tenure;

import java.time.Instant;

/**
 * What an observer sees of a leader. {@code since} is for showing to people only: it was written by the leader's wall
 * clock and decides nothing. It is {@link Instant#EPOCH} where the leader, a client of another library, did not say.
 */
public record Leader(ElectionName election, String node, FencingToken token, Instant since, Card card) {
    /** The value under this key of the leader's card, or an empty text. */
    public String card(String key) {
        return card.entries().getOrDefault(key, "");
    }
}
