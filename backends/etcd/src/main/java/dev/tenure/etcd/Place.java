package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.support.ClaimOrder;
import java.util.Optional;

/** What one session has in one election, as far as it knows. There may be thousands, so it keeps little. Loop-confined. */
final class Place {
    private final ElectionName election;
    private final Keys keys;
    private final long lease;
    /** Open claims were sent under a guard, and may be applied as long as it has not moved. */
    private final ClaimOrder<Long> order = new ClaimOrder<>();

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

    ClaimOrder<Long> order() {
        return order;
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

    boolean isForgettable() {
        return standing.isEmpty() && order.open().isEmpty();
    }
}
