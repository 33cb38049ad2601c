package dev.tenure.zookeeper;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import java.util.Optional;

/** The latch of this session in one election, from its creation to its end. Loop-confined. */
final class Mine {
    private final Nonce nonce;
    private final String path;
    private final long czxid;
    private Optional<FencingToken> token;
    private boolean leaving;
    private boolean watched;

    /** @param token if it was granted already */
    Mine(Nonce nonce, String path, long czxid, Optional<FencingToken> token) {
        this.nonce = nonce;
        this.path = path;
        this.czxid = czxid;
        this.token = token;
    }

    /** The latch that was found at this path, if it is one of this session and of this nonce. */
    static Optional<Mine> found(Nonce nonce, String path, Calls.Node node, long sessionId) {
        Mine mine = new Mine(nonce, path, node.stat().getCzxid(), Optional.empty());
        return Optional.of(mine).filter(latch -> latch.isProvedBy(node, sessionId));
    }

    Nonce nonce() {
        return nonce;
    }

    String name() {
        return Layout.name(path);
    }

    String path() {
        return path;
    }

    long czxid() {
        return czxid;
    }

    Optional<FencingToken> token() {
        return token;
    }

    /** It came to the front: from now on, whatever happens to the era, this is its token. */
    void grant(FencingToken granted) {
        token = Optional.of(granted);
    }

    /** It is being given up, and is not granted any more. */
    void leave() {
        leaving = true;
    }

    boolean isLeaving() {
        return leaving;
    }

    /** True the first time: from then on, its end is heard of. */
    boolean watch() {
        boolean first = !watched;
        watched = true;
        return first;
    }

    void unwatch() {
        watched = false;
    }

    /** Is this znode the very latch, and does the session own it? */
    boolean isProvedBy(Calls.Node node, long sessionId) {
        return node.stat().getCzxid() == czxid
                && node.stat().getEphemeralOwner() == sessionId
                && Participant.carries(node.text(), nonce);
    }
}
