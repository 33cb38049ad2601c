// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.claim;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.claim.ParticipantOrder.Participant;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls.Znode;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;

/**
 * One election at one moment.
 *
 * @param last the newest term that was recorded
 * @param own the latch that was asked for, if it is there
 * @param era of the store at the same moment, if a latch was asked for
 */
public record ElectionSnapshot(
        ParticipantOrder order, Optional<TermRecord> last, Optional<Znode> own, Optional<StoreEra> era) {
    /** Stands where the owner of an ephemeral znode does. */
    private static final long CONTAINER = Long.MIN_VALUE;

    /** The reads that make a snapshot of the znode of an election. */
    public static List<Op> reads(String election) {
        return List.of(Op.getChildren(election), Op.getData(election));
    }

    static List<Op> reads(String election, String own, Settings settings) {
        return List.of(
                Op.getChildren(election),
                Op.getData(election),
                Op.getData(own),
                Op.getData(settings.paths().era()));
    }

    /** @throws ZooKeeperError if a read failed for another reason than a missing znode */
    public static ElectionSnapshot of(List<OpResult> results, String election, Settings settings) {
        for (OpResult result : results) {
            if (result instanceof OpResult.ErrorResult error
                    && error.getErr() != Code.NONODE.intValue()
                    && error.getErr() != Code.OK.intValue()) {
                Code code = Code.get(error.getErr());
                throw ZooKeeperError.of(code == null ? Code.SYSTEMERROR : code, election, settings);
            }
        }
        List<String> names = results.get(0) instanceof OpResult.GetChildrenResult got ? got.getChildren() : List.of();
        Optional<TermRecord> last = node(results.get(1)).map(Znode::text).flatMap(TermRecord::find);
        if (results.size() == 2) {
            return new ElectionSnapshot(ParticipantOrder.of(names), last, Optional.empty(), Optional.empty());
        }
        Optional<StoreEra> era = node(results.get(3))
                .map(node -> EraRecord.of("znode " + settings.paths().era(), node.text()));
        return new ElectionSnapshot(ParticipantOrder.of(names), last, node(results.get(2)), era);
    }

    private static Optional<Znode> node(OpResult result) {
        return result instanceof OpResult.GetDataResult got
                ? Optional.of(Znode.of(got.getData(), got.getStat()))
                : Optional.empty();
    }

    public long tokenMax() {
        return last.map(term -> term.token().value()).orElse(0L);
    }

    /** The term before that of the latch that was created by this transaction, if it was recorded. */
    Optional<TermRecord> before(long czxid) {
        return last.filter(term -> term.token().sequence() != czxid);
    }

    /**
     * The leader that holds this latch. The token is the one under which it was granted, if that was recorded: the era may
     * have been raised since.
     */
    public Leader leader(ElectionName election, String name, Znode node, int era, Settings settings) {
        Participant participant = Participant.of(name, node.text());
        Stat stat = node.stat();
        Optional<TermRecord> term = last.filter(known -> known.token().sequence() == stat.getCzxid());
        FencingToken token = term.map(TermRecord::token).orElseGet(() -> token(era, stat.getCzxid()));
        Instant since = term.map(TermRecord::since).orElseGet(() -> Instant.ofEpochMilli(stat.getCtime()));
        String path = Paths.child(settings.paths().election(election), name);
        return new Leader(
                election,
                participant.holder(),
                token,
                since,
                participant.metadata(),
                foreign(path, stat, participant, settings));
    }

    /** Present if this latch is no candidate of Tenure, or stays until somebody deletes it because no session owns it. */
    private static Optional<Leader.Foreign> foreign(
            String path, Stat stat, Participant participant, Settings settings) {
        if (stat.getEphemeralOwner() == 0 || stat.getEphemeralOwner() == CONTAINER) {
            String quoted = (settings.servers().chroot() + path).replace("'", "'\\''");
            return Optional.of(
                    new Leader.Foreign(true, "zkCli.sh -server " + settings.servers() + " delete '" + quoted + "'"));
        }
        // To delete its latch is no remedy: a peer need not watch its own, and may go on leading beside its successor.
        return participant.foreign() ? Optional.of(new Leader.Foreign(false, "stop its process")) : Optional.empty();
    }

    /** Nobody can lead behind such a latch, and a candidate may not delete the latch of another: an operator has to. */
    static String stuckHolder(String path, Leader leader) {
        return "STUCK_HOLDER: znode " + path + " does not go by itself: no session stands behind it. "
                + "Make sure that its holder has stopped, then: "
                + leader.foreign().map(Leader.Foreign::remedy).orElse("");
    }

    /**
     * The token of a latch: the era, and the number of the transaction that created it. Not the sequence in its name, which begins
     * anew whenever the znode above it was removed.
     *
     * <p>A transaction number is the epoch (one for every leader that ZooKeeper itself elects) above 32 bits of counter, so
     * 48 bits last for 65,535 of ZooKeeper's own elections.
     */
    static FencingToken token(int era, long czxid) {
        if (czxid <= 0 || czxid > FencingToken.SEQUENCE_MAX) {
            throw new BackendException(
                    Effect.UNKNOWN,
                    Kind.MISCONFIGURED,
                    "ZooKeeper's transaction 0x" + Long.toHexString(czxid) + " (epoch " + (czxid >>> 32)
                            + ") does not fit into a fencing token, which has room for 65,535 epochs: move to a fresh "
                            + "ensemble and raise the era there (tenure era raise)");
        }
        return FencingToken.of(era, czxid);
    }
}
