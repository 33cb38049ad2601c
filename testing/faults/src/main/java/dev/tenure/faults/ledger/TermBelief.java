// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.ledger;

import java.util.OptionalLong;

/**
 * How long one process believed in one term, on the clock that all processes of this machine share.
 *
 * <p>Belief is what {@code isValid()} would answer. A process that is stopped answers nothing, and one that was killed never
 * will; so what counts is the deadline that it last had, unless it was seen to stop believing before that.
 *
 * @param deadlineNanos the latest that it was seen to have
 * @param endNanos when it was seen not to believe any more
 */
public record TermBelief(String node, long token, long beginNanos, long deadlineNanos, OptionalLong endNanos) {
    static TermBelief begun(String node, long token, long beginNanos, long deadlineNanos) {
        return new TermBelief(node, token, beginNanos, deadlineNanos, OptionalLong.empty());
    }

    TermBelief until(long laterNanos) {
        return new TermBelief(node, token, beginNanos, Math.max(deadlineNanos, laterNanos), endNanos);
    }

    TermBelief ended(long atNanos) {
        return endNanos.isPresent()
                ? this
                : new TermBelief(node, token, beginNanos, deadlineNanos, OptionalLong.of(atNanos));
    }

    public boolean isOpen() {
        return endNanos.isEmpty();
    }

    /** When it surely believed no more. */
    public long overNanos() {
        return Math.min(deadlineNanos, endNanos.orElse(deadlineNanos));
    }
}
