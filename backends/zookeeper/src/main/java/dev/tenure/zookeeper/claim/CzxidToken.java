package dev.tenure.zookeeper.claim;

import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;

/**
 * The token of a latch: the era, and the number of the transaction that created it. Not the sequence in its name, which
 * begins anew whenever the znode above it was removed.
 */
public final class CzxidToken {
    private static final int COUNTER_BITS = 32;

    private CzxidToken() {}

    /**
     * A transaction number is the epoch (one for every leader that ZooKeeper itself elects) above 32 bits of counter, so
     * 48 bits last for 65,535 of ZooKeeper's own elections.
     */
    public static FencingToken of(int era, long czxid) {
        if (czxid <= 0 || czxid > FencingToken.SEQUENCE_MAX) {
            throw new BackendException(
                    Effect.UNKNOWN,
                    Kind.MISCONFIGURED,
                    "ZooKeeper's transaction 0x" + Long.toHexString(czxid) + " (epoch " + (czxid >>> COUNTER_BITS)
                            + ") does not fit into a fencing token, which has room for 65,535 epochs: move to a fresh "
                            + "ensemble and raise the era there (tenure era raise)");
        }
        return FencingToken.of(era, czxid);
    }
}
