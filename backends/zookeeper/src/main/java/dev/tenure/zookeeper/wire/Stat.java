package dev.tenure.zookeeper.wire;

import java.io.IOException;

/**
 * What a server tells of a znode beside its data.
 *
 * @param czxid the transaction that created it
 * @param ctimeMillis when that was
 * @param ephemeralOwner the session that it ends with; 0 if it stays
 */
public record Stat(long czxid, long ctimeMillis, int version, long ephemeralOwner, int children) {
    /** The owner of a container, by ZooKeeper's convention. Without children a container stays, too. */
    private static final long CONTAINER = Long.MIN_VALUE;

    /** Does nothing end this znode but people? */
    public boolean stays() {
        return ephemeralOwner == 0 || ephemeralOwner == CONTAINER;
    }

    static Stat read(RecordReader in) throws IOException {
        long czxid = in.longNumber();
        in.longNumber(); // mzxid
        long ctimeMillis = in.longNumber();
        in.longNumber(); // mtime
        int version = in.number();
        in.number(); // cversion
        in.number(); // aversion
        long ephemeralOwner = in.longNumber();
        in.number(); // length of the data
        int children = in.number();
        in.longNumber(); // pzxid
        return new Stat(czxid, ctimeMillis, version, ephemeralOwner, children);
    }
}
