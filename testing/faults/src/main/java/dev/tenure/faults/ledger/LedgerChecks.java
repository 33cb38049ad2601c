// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.ledger;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/** One method per property. Each returns the violations in words; none is what it should find. */
public final class LedgerChecks {
    private LedgerChecks() {}

    /**
     * A store was made to break a lease that it had granted.
     *
     * @param afterNanos when it had surely done so: nothing is renewed any more
     */
    public record Breach(long beforeNanos, long afterNanos) {}

    /** Once a token was raised, nothing older is written: not one. */
    public static List<String> staleWrites(List<LedgerEvent> events) {
        List<String> found = new ArrayList<>();
        long raised = 0;
        for (LedgerEvent event : events) {
            if (event instanceof LedgerEvent.Write write && write.accepted() && write.token() < raised) {
                found.add("a stale write was accepted: " + write.node() + " with token " + write.token()
                        + " after token " + raised);
            }
            if (event.accepted() || event instanceof LedgerEvent.Raise) {
                raised = Math.max(raised, event.token());
            }
        }
        return found;
    }

    /**
     * A token belongs to one term: one holder, one nonce. Where the store's clock was ahead and is back, tokens that it has issued
     * are from the future: one that is deleted then may be issued again to who never saw it, and has to be refused.
     *
     * @param aheadSinceNanos when the clock went ahead, if it did
     */
    public static List<String> sharedTokens(List<LedgerEvent> events, OptionalLong aheadSinceNanos) {
        List<String> found = new ArrayList<>();
        Map<Long, String> nonces = new HashMap<>();
        for (LedgerEvent event : events) {
            String first = nonces.computeIfAbsent(event.token(), unused -> event.nonce());
            boolean late = aheadSinceNanos.isPresent() && event.nanos() - aheadSinceNanos.getAsLong() > 0;
            boolean excused = late && !event.accepted();
            if (!first.equals(event.nonce()) && !excused) {
                found.add("token " + event.token() + " was handed out twice, at last to " + event.node());
                nonces.put(event.token(), event.nonce());
            }
        }
        return found;
    }

    /**
     * No two believed at once. Where a lease was broken, the one that lost it may believe on, but not longer than a lease
     * that was renewed in the last moment lasts.
     *
     * @param beliefs by token
     */
    public static List<String> overlaps(List<TermBelief> beliefs, List<Breach> breaches, long leaseNanos) {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < beliefs.size(); i++) {
            for (TermBelief newer : beliefs.subList(i + 1, beliefs.size())) {
                TermBelief older = beliefs.get(i);
                if (overlapNanos(older, newer) > 0 && !isExcused(older, newer, breaches, leaseNanos)) {
                    found.add(String.format(
                            Locale.ROOT,
                            "%s (token %d) and %s (token %d) both believed, for %.3f s",
                            older.node(),
                            older.token(),
                            newer.node(),
                            newer.token(),
                            overlapNanos(older, newer) / 1e9));
                }
            }
        }
        return found;
    }

    public static long overlapNanos(TermBelief one, TermBelief other) {
        return Math.min(one.overNanos(), other.overNanos()) - Math.max(one.beginNanos(), other.beginNanos());
    }

    private static boolean isExcused(TermBelief older, TermBelief newer, List<Breach> breaches, long leaseNanos) {
        return breaches.stream()
                .anyMatch(breach -> older.beginNanos() - breach.afterNanos() < 0
                        && newer.beginNanos() - breach.beforeNanos() > 0
                        && older.overNanos() - (breach.afterNanos() + leaseNanos) < 0);
    }
}
