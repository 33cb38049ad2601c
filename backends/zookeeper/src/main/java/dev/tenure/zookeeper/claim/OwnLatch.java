// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.claim;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.claim.ParticipantOrder.Participant;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.ZooKeeperCalls.Znode;
import java.time.Instant;
import java.util.Optional;
import org.apache.zookeeper.data.Stat;

/** The latch of this session in one election, from its creation to its end. Loop-confined. */
final class OwnLatch {
    private final Nonce nonce;
    private final String path;
    private final long czxid;
    private Optional<FencingToken> token;
    private long sinceMillis;
    private boolean leaving;
    private boolean watched;
    private boolean gone;

    /** @param token if it was granted already */
    OwnLatch(Nonce nonce, String path, Stat stat, Optional<FencingToken> token) {
        this.nonce = nonce;
        this.path = path;
        this.czxid = stat.getCzxid();
        this.sinceMillis = stat.getCtime();
        this.token = token;
    }

    Nonce nonce() {
        return nonce;
    }

    String name() {
        return Paths.name(path);
    }

    String path() {
        return path;
    }

    long czxid() {
        return czxid;
    }

    /** Empty until it was granted. */
    Optional<FencingToken> token() {
        return token;
    }

    /** It came to the front: from now on, whatever happens to the era, this is its token. */
    void grant(FencingToken granted, long wallMillis) {
        token = Optional.of(granted);
        sinceMillis = wallMillis;
    }

    /** Its term, to be recorded; empty if it never led. */
    Optional<TermRecord> term(boolean held, SessionContext self) {
        return token.map(granted ->
                new TermRecord(granted, held, self.id(), self.granted().ttl(), Instant.ofEpochMilli(sinceMillis)));
    }

    /** It is being released, and is not granted any more. */
    void leave() {
        leaving = true;
    }

    boolean isLeaving() {
        return leaving;
    }

    void watched(boolean now) {
        watched = now;
    }

    /** The servers have said that there is no such znode any more; none with this name can come again. */
    void gone() {
        gone = true;
    }

    boolean isGone() {
        return gone;
    }

    /** Will its end be notified, or was it? */
    boolean isWatched() {
        return watched || gone;
    }

    /** Is this znode the very latch, and does the session own it? */
    boolean isProvedBy(Znode node, long sessionId) {
        return node.stat().getCzxid() == czxid
                && node.stat().getEphemeralOwner() == sessionId
                && Participant.carries(node.text(), nonce);
    }
}
