// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.ledger;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** All that the ledger was told and asked, from the first round to the last. Safe for any thread. */
public final class LedgerHistory {
    /** What is left of a belief when a process has told nothing else; a write says "none" so. */
    private static final long NO_DEADLINE = 0;

    private static final long CLOCK_GAP_NANOS_MAX = 60_000_000_000L;

    private record Key(String node, long token) {}

    private final List<LedgerEvent> events = new ArrayList<>();
    private final Map<Key, TermBelief> beliefs = new HashMap<>();
    private final Map<Key, List<Long>> renewals = new HashMap<>();
    private final Set<String> ready = new HashSet<>();
    private final List<String> complaints = new ArrayList<>();

    /** All that follows rests on one clock for all processes: so every candidate shows its own first. */
    synchronized void hello(String node, long theirNanos) {
        long gapNanos = System.nanoTime() - theirNanos;
        if (gapNanos < 0 || gapNanos > CLOCK_GAP_NANOS_MAX) {
            complaints.add("the clock of " + node + " is " + gapNanos + " ns away: no interval can be compared");
        }
        ready.remove(node);
    }

    synchronized void ready(String node) {
        ready.add(node);
    }

    /** It was killed: it has to say again that it stands. */
    public synchronized void forget(String node) {
        ready.remove(node);
    }

    synchronized void begin(String node, long token, long nanos, long deadlineNanos) {
        beliefs.put(new Key(node, token), TermBelief.begun(node, token, nanos, deadlineNanos));
    }

    synchronized void renewed(String node, long token, long deadlineNanos) {
        Key key = new Key(node, token);
        renewals.computeIfAbsent(key, unused -> new ArrayList<>()).add(System.nanoTime());
        extend(key, deadlineNanos);
    }

    synchronized void end(String node, long token, long nanos) {
        beliefs.computeIfPresent(new Key(node, token), (unused, belief) -> belief.ended(nanos));
    }

    /** Its process is gone, and with it whatever it believed. */
    public synchronized void died(String node, long nanos) {
        beliefs.replaceAll((key, belief) -> key.node.equals(node) ? belief.ended(nanos) : belief);
    }

    synchronized void raised(LedgerEvent.Raise raise) {
        events.add(raise);
    }

    synchronized void wrote(LedgerEvent.Write write, long deadlineNanos) {
        events.add(write);
        if (deadlineNanos != NO_DEADLINE) {
            extend(new Key(write.node(), write.token()), deadlineNanos);
        }
    }

    private void extend(Key key, long deadlineNanos) {
        beliefs.computeIfPresent(key, (unused, belief) -> belief.until(deadlineNanos));
    }

    public synchronized boolean isReady(String node) {
        return ready.contains(node);
    }

    public synchronized List<String> complaints() {
        return List.copyOf(complaints);
    }

    public synchronized List<LedgerEvent> events() {
        return List.copyOf(events);
    }

    public synchronized List<TermBelief> beliefs() {
        return beliefs.values().stream()
                .sorted(Comparator.comparingLong(TermBelief::token).thenComparingLong(TermBelief::beginNanos))
                .toList();
    }

    /** The newest term of which a write was accepted. */
    public synchronized Optional<TermBelief> writer() {
        for (int i = events.size() - 1; i >= 0; i--) {
            if (events.get(i) instanceof LedgerEvent.Write write && write.accepted()) {
                return Optional.ofNullable(beliefs.get(new Key(write.node(), write.token())));
            }
        }
        return Optional.empty();
    }

    /** How often a term was renewed since then: the second time, the request too was sent after it. */
    public synchronized int renewalsSince(TermBelief belief, long sinceNanos) {
        List<Long> all = renewals.getOrDefault(new Key(belief.node(), belief.token()), List.of());
        return (int) all.stream().filter(nanos -> nanos - sinceNanos > 0).count();
    }

    public synchronized boolean hasAcceptedWriteSince(TermBelief belief, long sinceNanos) {
        for (int i = events.size() - 1; i >= 0 && events.get(i).nanos() - sinceNanos > 0; i--) {
            LedgerEvent event = events.get(i);
            boolean counts = event instanceof LedgerEvent.Write && event.accepted();
            if (counts && event.token() == belief.token() && event.node().equals(belief.node())) {
                return true;
            }
        }
        return false;
    }
}
