package dev.tenure.etcd.claim;

import dev.tenure.Card;
import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Observation;
import dev.tenure.spi.support.TermRecord;
import java.time.Instant;
import java.util.Optional;

/** The candidate at the front of an election is its leader; this tells who that is, whatever program it runs. */
final class LeaderResolver {
    private static final int SHOWN_MAX = 200;

    private LeaderResolver() {}

    static FencingToken token(int era, long revision) {
        if (revision < 1 || revision > FencingToken.SEQUENCE_MAX) {
            throw new BackendException(
                    BackendException.Effect.NONE,
                    BackendException.Kind.MISCONFIGURED,
                    "the revision of this etcd is " + revision + ": a token has room up to 2^48 only");
        }
        return FencingToken.of(era, revision);
    }

    /** @param era for heads that no term was recorded for: a peer's, or one that was not told yet that it leads */
    static Leader leader(ElectionName election, KeyValue head, Optional<TermRecord> term, int era) {
        Optional<TermRecord> its = term.filter(known -> known.token().sequence() == head.createRevision());
        FencingToken token = its.map(TermRecord::token).orElseGet(() -> token(era, head.createRevision()));
        Optional<EntryValue> claimed = EntryValue.of(head);
        Optional<Leader.Foreign> foreign = foreign(head, claimed);
        return claimed.map(claim -> new Leader(
                        election,
                        claim.holder(),
                        token,
                        its.map(TermRecord::since).orElse(claim.since()),
                        claim.card(),
                        foreign))
                .orElseGet(() -> new Leader(election, shown(head), token, Instant.EPOCH, Card.EMPTY, foreign));
    }

    /** A candidate of Tenure always has a lease. */
    private static Optional<Leader.Foreign> foreign(KeyValue head, Optional<EntryValue> claimed) {
        if (head.lease() == 0) {
            return Optional.of(new Leader.Foreign(true, StuckHolderDetector.remedy(head.key(), head.lease())));
        }
        return claimed.isPresent()
                ? Optional.empty()
                : Optional.of(new Leader.Foreign(
                        false, "stop its process, or: " + StuckHolderDetector.remedy(head.key(), head.lease())));
    }

    /** Others write what they like: it is shown without what could garble a terminal. */
    private static String shown(KeyValue head) {
        StringBuilder text = new StringBuilder();
        head.value().codePoints().limit(SHOWN_MAX).forEach(c -> {
            boolean plain = !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT;
            text.appendCodePoint(plain ? c : ' ');
        });
        String value = text.toString().strip();
        return value.isEmpty() ? head.key() : value;
    }

    static Observation observation(ElectionName election, Optional<KeyValue> head, Optional<TermRecord> term, int era) {
        Optional<Leader> leader = head.map(first -> leader(election, first, term, era));
        long lastTerm = term.map(known -> known.token().value()).orElse(0L);
        long now = leader.map(known -> known.token().value()).orElse(0L);
        return new Observation(election, leader, Math.max(lastTerm, now));
    }
}
