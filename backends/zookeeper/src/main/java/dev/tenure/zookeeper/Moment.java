package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.Op;
import dev.tenure.zookeeper.wire.OpResult;
import dev.tenure.zookeeper.wire.Stat;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One election at one moment.
 *
 * @param own the latch that was asked for, if it is there
 */
record Moment(Latch latch, Optional<TermRecord> last, Optional<OpResult.Data> own) {
    /** How many reads make a moment with a latch. */
    static final int READS = 3;

    /** The reads that make a moment of the znode of an election. */
    static List<Op> reads(String election) {
        return List.of(Op.getChildren(election), Op.getData(election));
    }

    static List<Op> reads(String election, String own) {
        return List.of(Op.getChildren(election), Op.getData(election), Op.getData(own));
    }

    /** @throws StoreFailure if something else than a missing znode was in the way */
    static Moment of(List<OpResult> results, String election, Settings settings) {
        for (OpResult result : results) {
            refuse(result, election, settings);
        }
        Latch latch = Latch.of(results.get(0) instanceof OpResult.Children got ? got.names() : List.of());
        Optional<TermRecord> last =
                results.get(1) instanceof OpResult.Data got ? TermRecord.find(got.text()) : Optional.empty();
        return new Moment(latch, last, results.size() > 2 ? node(results.get(2)) : Optional.empty());
    }

    private static void refuse(OpResult result, String election, Settings settings) {
        if (result instanceof OpResult.Refused error) {
            if (error.code() != Code.NONODE && error.code() != Code.OK) {
                throw StoreFailure.of(error.code(), election, settings);
            }
        }
    }

    private static Optional<OpResult.Data> node(OpResult result) {
        return result instanceof OpResult.Data got ? Optional.of(got) : Optional.empty();
    }

    long tokenMax() {
        return last.map(term -> term.token().value()).orElse(0L);
    }

    /** The term before that of the latch that was created by this transaction, if it was written down. */
    Optional<TermRecord> before(long czxid) {
        return last.isPresent() && last.get().token().sequence() != czxid ? last : Optional.empty();
    }

    /**
     * Who leads by holding this latch. The token is the one under which it was granted, if that was written down: the era may
     * have been raised since.
     */
    Leader leader(ElectionName election, String name, OpResult.Data node, int era, Settings settings) {
        Participant participant = Participant.of(name, node.text());
        Stat stat = node.stat();
        Optional<TermRecord> term = last.filter(known -> known.token().sequence() == stat.czxid());
        FencingToken token = term.map(TermRecord::token).orElseGet(() -> Tokens.of(era, stat.czxid()));
        Instant since = term.map(TermRecord::since).orElseGet(() -> Instant.ofEpochMilli(stat.ctimeMillis()));
        String path = Layout.child(settings.layout().election(election), name);
        Optional<Leader.Foreign> foreign = StuckHolder.foreign(path, stat, participant, settings);
        return new Leader(election, participant.holder(), token, since, participant.card(), foreign);
    }
}
