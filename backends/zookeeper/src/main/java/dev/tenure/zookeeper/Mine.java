package dev.tenure.zookeeper;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import java.util.Optional;

/** The latch of this session in one election, from its creation to its end. Loop-confined. */
final class Mine {
    private final Nonce nonce;
    private final String election;
    private final String name;
    private final long czxid;
    private Optional<FencingToken> token;
    private boolean leaving;

    /** @param token if it was granted already */
    Mine(Nonce nonce, String path, long czxid, Optional<FencingToken> token) {
        this.nonce = nonce;
        this.election = path.substring(0, path.lastIndexOf('/'));
        this.name = Layout.name(path);
        this.czxid = czxid;
        this.token = token;
    }

    Nonce nonce() {
        return nonce;
    }

    String name() {
        return name;
    }

    String path() {
        return Layout.child(election, name);
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

    /** Is this znode the very latch, and does the session own it? */
    boolean isProvedBy(Calls.Node node, long sessionId) {
        return node.stat().getCzxid() == czxid
                && node.stat().getEphemeralOwner() == sessionId
                && Participant.carries(node.text(), nonce);
    }
}
