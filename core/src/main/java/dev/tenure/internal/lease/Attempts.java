package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.spi.support.ClaimOrder;
import java.util.HashMap;
import java.util.Map;

/**
 * In which order this session has claimed its elections. Unlike elsewhere, a claim that was forgotten is not an early one: it
 * cannot be applied any more, since the record has carried a later one.
 */
final class Attempts {
    private final Map<ElectionName, ClaimOrder<Object>> sent = new HashMap<>();

    void sent(ElectionName election, Nonce nonce) {
        sent.computeIfAbsent(election, any -> new ClaimOrder<>()).claims(nonce);
    }

    /** The record carries this nonce now, so nothing that was tried before it can be applied any more. */
    void granted(ElectionName election, Nonce nonce) {
        sent.computeIfAbsent(election, any -> new ClaimOrder<>()).forgetBefore(nonce);
    }

    boolean isUpTo(ElectionName election, Nonce nonce, Nonce last) {
        ClaimOrder<Object> order = sent.get(election);
        return order != null && order.knows(nonce) && order.isUpTo(nonce, last);
    }
}
