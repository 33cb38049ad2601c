package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimReply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What one session has in one election, as far as it knows. There may be thousands, so it keeps little. Loop-confined. */
final class Place {
    private static final int ATTEMPTS_MAX = 64;

    private final ElectionName election;
    private final Keys keys;
    private final long lease;
    /** Oldest first. */
    private List<Nonce> attempts = List.of();
    /** Claims without an answer, and under which guard they were sent: they may still be applied. */
    private Map<Object, Long> doubts = Map.of();

    private long turn;
    private Optional<Standing> standing = Optional.empty();
    private String awaited = "";

    /**
     * My entry in the store.
     *
     * @param revision that created it: its place in the queue
     * @param grant once it was proved to be at the front
     */
    record Standing(Nonce nonce, long revision, Optional<ClaimReply.Granted> grant) {}

    Place(Keys keys, ElectionName election, long lease) {
        this.keys = keys;
        this.election = election;
        this.lease = lease;
    }

    ElectionName election() {
        return election;
    }

    String key() {
        return keys.entry(election, lease);
    }

    KeyRange range() {
        return keys.election(election);
    }

    String termKey() {
        return keys.term(election);
    }

    // ---- turns: only the newest call of an election may go on

    long turn() {
        return turn;
    }

    long nextTurn() {
        return ++turn;
    }

    // ---- attempts

    void attempt(Nonce nonce) {
        if (isLatest(nonce)) {
            return;
        }
        List<Nonce> all = new ArrayList<>(attempts);
        all.remove(nonce);
        all.add(nonce);
        attempts = List.copyOf(all.subList(Math.max(0, all.size() - ATTEMPTS_MAX), all.size()));
    }

    boolean knows(Nonce nonce) {
        return attempts.contains(nonce);
    }

    boolean isLatest(Nonce nonce) {
        return !attempts.isEmpty() && attempts.get(attempts.size() - 1).equals(nonce);
    }

    /** Is the first of these the second, or an attempt before it? What is unknown was forgotten long ago. */
    boolean isUpTo(Nonce earlier, Nonce nonce) {
        return attempts.indexOf(earlier) <= attempts.indexOf(nonce);
    }

    // ---- the entry

    Optional<Standing> standing() {
        return standing;
    }

    /** My entry, if it is of this attempt. */
    Optional<Standing> standing(Nonce nonce) {
        return standing.filter(mine -> mine.nonce().equals(nonce));
    }

    void stands(Nonce nonce, long revision, Optional<ClaimReply.Granted> grant) {
        standing = Optional.of(new Standing(nonce, revision, grant));
    }

    void gone() {
        standing = Optional.empty();
    }

    // ---- whom it waits for

    String awaited() {
        return awaited;
    }

    void await(String predecessor) {
        awaited = predecessor;
    }

    // ---- claims that may still be applied

    void doubt(Object claim, long guardRevision) {
        doubts = doubts.isEmpty() ? new HashMap<>(2) : doubts;
        doubts.merge(claim, guardRevision, Math::max);
    }

    void settled(Object claim) {
        if (!doubts.isEmpty()) {
            doubts.remove(claim);
            forgetNoDoubts();
        }
    }

    void guardMovedTo(long revision) {
        if (!doubts.isEmpty()) {
            doubts.values().removeIf(sentUnder -> sentUnder < revision);
            forgetNoDoubts();
        }
    }

    private void forgetNoDoubts() {
        if (doubts.isEmpty()) {
            doubts = Map.of();
        }
    }

    /** The newest guard under which a claim is unanswered. */
    Optional<Long> doubtedUnder() {
        return doubts.values().stream().max(Long::compare);
    }

    boolean isForgettable() {
        return standing.isEmpty() && doubts.isEmpty();
    }
}
