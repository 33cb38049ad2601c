package dev.tenure.zookeeper;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.wire.OpResult;
import dev.tenure.zookeeper.wire.Stat;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The latch of this session in one election, from its creation to its end. There are very many of them: its path is not kept
 * but written anew from nonce and sequence. Loop-confined.
 */
final class Mine {
    private static final long NOT_GRANTED = 0;

    private final Nonce nonce;
    private final int sequence;
    private final long czxid;
    private long token;
    private long sinceMillis;
    private boolean leaving;
    private boolean watched;
    private boolean gone;

    /** @param token if it was granted already */
    Mine(Nonce nonce, String path, Stat stat, Optional<FencingToken> token) {
        this.nonce = nonce;
        this.sequence = Latch.sequence(Layout.name(path), nonce);
        this.czxid = stat.czxid();
        this.sinceMillis = stat.ctimeMillis();
        this.token = token.map(FencingToken::value).orElse(NOT_GRANTED);
    }

    /** The latch that was found at this path, if it is one of this session and of this nonce. */
    static Optional<Mine> found(Nonce nonce, String path, OpResult.Data node, long sessionId) {
        Mine mine = new Mine(nonce, path, node.stat(), Optional.empty());
        return Optional.of(mine).filter(latch -> latch.isProvedBy(node, sessionId));
    }

    Nonce nonce() {
        return nonce;
    }

    String name() {
        return Latch.name(nonce, sequence);
    }

    /** @param election the path of its election */
    String path(String election) {
        return Layout.child(election, name());
    }

    long czxid() {
        return czxid;
    }

    Optional<FencingToken> token() {
        return token == NOT_GRANTED ? Optional.empty() : Optional.of(new FencingToken(token));
    }

    boolean isGranted() {
        return token != NOT_GRANTED;
    }

    /**
     * It came to the front: from now on, whatever happens to the era, this is its token.
     *
     * @param wallMillis when that was, for one that had to wait; its end is watched since then
     */
    void grant(FencingToken granted, long wallMillis) {
        token = granted.value();
        if (watched) {
            sinceMillis = wallMillis;
        }
    }

    /** What is to be written down of its term; empty if it never led. Who never waited leads since its latch was created. */
    Optional<TermRecord> term(boolean held, Identity self) {
        Duration ttl = Duration.ofMillis(self.ttlMillis());
        return token().map(granted -> new TermRecord(granted, held, self.id(), ttl, Instant.ofEpochMilli(sinceMillis)));
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

    boolean isWatched() {
        return watched;
    }

    void unwatch() {
        watched = false;
    }

    /** The servers have told that there is no such znode any more; none with this name can come again. */
    void vanish() {
        gone = true;
    }

    boolean isGone() {
        return gone;
    }

    /** Is this znode the very latch, and does the session own it? */
    boolean isProvedBy(OpResult.Data node, long sessionId) {
        return isProvedBy(node, sessionId, Participant.nonceLine(nonce));
    }

    boolean isProvedBy(OpResult.Data node, long sessionId, String nonceLine) {
        return node.stat().czxid() == czxid
                && node.stat().ephemeralOwner() == sessionId
                && Participant.carries(node.text(), nonceLine);
    }
}
