// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.support.RecordCodec;
import java.time.Duration;
import java.util.Optional;

/**
 * A claim of Tenure: the value of a lock and, without its metadata, that of the term, which is written in the same transaction.
 * A transaction does not know its own index: while the term is held, the token is the index of the write.
 *
 * @param belief for how long a holder that vanished may still believe when others can have the lock
 * @param takeover the belief of the holder before, if that one did not release by itself
 */
record LockValue(
        Nonce nonce, String session, Duration belief, boolean released, Optional<Duration> takeover, Leader leader) {
    private static final RecordCodec CODEC = new RecordCodec("tenure claim 1");

    /** Empty if it was not written by Tenure. */
    static Optional<LockValue> find(ElectionName election, Optional<KeyValueEntry> entry) {
        return entry.flatMap(stored -> CODEC.find(stored.value(), fields -> {
            boolean released = fields.has("sequence");
            long sequence = released ? fields.number("sequence", 1, FencingToken.SEQUENCE_MAX) : stored.index();
            int era = (int) fields.number("era", 0, FencingToken.ERA_MAX);
            return new LockValue(
                    Nonce.parse(fields.text("nonce")),
                    fields.text("session"),
                    Duration.ofMillis(
                            fields.number("beliefMillis", 0, Duration.ofDays(1).toMillis())),
                    released,
                    fields.has("takeoverMillis") ? Optional.of(fields.ttlMillis("takeoverMillis")) : Optional.empty(),
                    new Leader(
                            election,
                            fields.text("holder"),
                            FencingToken.of(era, sequence),
                            fields.epochMillis("sinceMillis"),
                            new LeaderMetadata(fields.under("card."))));
        }));
    }

    /** As it was written by the transaction that has this index. */
    LockValue at(long index) {
        FencingToken token = FencingToken.of(leader.token().era(), index);
        Leader granted = new Leader(leader.election(), leader.node(), token, leader.since(), leader.metadata());
        return new LockValue(nonce, session, belief, released, takeover, granted);
    }

    String lockText() {
        return lines().addAll("card.", leader.metadata().entries()).text();
    }

    String termText() {
        return lines().text();
    }

    String releasedText() {
        return lines().add("sequence", leader.token().sequence()).text();
    }

    private RecordCodec.Lines lines() {
        RecordCodec.Lines lines = CODEC.lines()
                .add("nonce", nonce)
                .add("session", session)
                .add("era", leader.token().era())
                .add("holder", leader.node())
                .add("sinceMillis", leader.since().toEpochMilli())
                .add("beliefMillis", belief.toMillis());
        takeover.ifPresent(before -> lines.add("takeoverMillis", Math.max(1, before.toMillis())));
        return lines;
    }

    ClaimReply.Granted granted() {
        return new ClaimReply.Granted(leader.token(), nonce, takeover.isPresent(), takeover.orElse(Duration.ZERO));
    }
}
