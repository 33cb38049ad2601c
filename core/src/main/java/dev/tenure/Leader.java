// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import java.time.Instant;
import java.util.Optional;

/**
 * What an observer sees of a leader. {@code since} is for showing to people only: it was written by the leader's wall
 * clock and decides nothing. It is {@link Instant#EPOCH} where the leader, a client of another library, did not say.
 *
 * @param foreign present if the leader is no candidate of Tenure
 */
public record Leader(
        ElectionName election,
        String node,
        FencingToken token,
        Instant since,
        LeaderMetadata metadata,
        Optional<Foreign> foreign) {
    /** A candidate of Tenure. */
    public Leader(ElectionName election, String node, FencingToken token, Instant since, LeaderMetadata metadata) {
        this(election, node, token, since, metadata, Optional.empty());
    }

    /**
     * A leader that another library, or somebody by hand, has put there. It obeys no request of an operator.
     *
     * @param stuck true if the store knows no lease or session behind it: it stays until people remove it
     * @param remedy what people can do to end it, as the rest of a sentence
     */
    public record Foreign(boolean stuck, String remedy) {}

    /** The value under this key of the leader's metadata, or an empty text. */
    public String metadata(String key) {
        return metadata.entries().getOrDefault(key, "");
    }
}
