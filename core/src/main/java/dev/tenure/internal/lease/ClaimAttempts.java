package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.support.ClaimOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The claims of a session, per election: in which order they were sent, and which writes may still be applied. A conditional
 * write can be applied late, but only while the version that it expects still stands: this remembers which versions those are.
 */
final class ClaimAttempts {
    private final Map<ElectionName, ClaimOrder<Optional<String>>> orders = new HashMap<>();

    /** One write; compared by identity. */
    static final class Sent {}

    void claims(ElectionName election, Nonce nonce) {
        order(election).claims(nonce);
    }

    /** The write of a claim is sent: its outcome is unknown until it is settled. */
    Sent send(ElectionName election, Versioned expected) {
        Sent write = new Sent();
        order(election).opened(write, expected.version());
        return write;
    }

    void settled(ElectionName election, Sent write) {
        order(election).settled(write);
    }

    /** Forgets the writes that this sight of the record proves dead; true if one may still be applied. */
    boolean mayStillLand(ElectionName election, Versioned found) {
        ClaimOrder<Optional<String>> order = order(election);
        order.settledIf((write, expected) -> !expected.equals(found.version()));
        return !order.open().isEmpty();
    }

    /** The record carries this nonce now, so nothing that was tried before it can be applied any more. */
    void granted(ElectionName election, Nonce nonce) {
        order(election).forgetBefore(nonce);
    }

    /** A claim that was forgotten is not an early one here: the record has carried a later one since. */
    boolean isUpTo(ElectionName election, Nonce nonce, Nonce last) {
        ClaimOrder<Optional<String>> order = order(election);
        return order.knows(nonce) && order.isUpTo(nonce, last);
    }

    private ClaimOrder<Optional<String>> order(ElectionName election) {
        return orders.computeIfAbsent(election, any -> new ClaimOrder<>());
    }
}
