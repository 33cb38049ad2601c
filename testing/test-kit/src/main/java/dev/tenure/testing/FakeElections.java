// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.TenureEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Elections to test duties with: any number of nodes in one JVM, each a real client with the real engine, over a store in
 * memory and in virtual time. Nothing happens until {@link #advance} is called, and then half an hour takes milliseconds.
 *
 * <p>Duties run on threads of their own, but only ever one at a time and only while time is being driven: a test needs no
 * locks to look at what they did. They wait with {@code leadership.rest(…)}, which takes no real time; one that really
 * blocks is named in an exception. The same seed and the same calls give the same run.
 *
 * <p>Not safe for threads: one test drives it.
 */
public final class FakeElections implements AutoCloseable {
    private static final long SEED = 1;
    private static final Duration TTL = Duration.ofSeconds(10);

    private final VirtualTime time = new VirtualTime();
    private final InMemoryLeaseStore store = InMemoryLeaseStore.on(time);
    private final Map<String, FakeNode> nodes = new LinkedHashMap<>();
    private final List<FakeNode> everStarted = new ArrayList<>();
    private final Map<ElectionName, FencingToken> highest = new HashMap<>();
    private final List<String> log = new ArrayList<>();
    private final SplitMix64 seeds;
    private final Duration ttl;

    private FakeElections(long seed, Duration ttl) {
        this.seeds = new SplitMix64(seed);
        this.ttl = ttl;
    }

    public static FakeElections create() {
        return create(SEED);
    }

    /** Another seed gives another order where the order is a matter of chance: try your duty with many. */
    public static FakeElections create(long seed) {
        return create(seed, TTL);
    }

    public static FakeElections create(long seed, Duration ttl) {
        return new FakeElections(seed, ttl);
    }

    /** The node of this name; started at its first mention. */
    public FakeNode node(String name) {
        FakeNode known = nodes.get(name);
        return known != null ? known : start(name);
    }

    /** Lets this much time pass, and everything happen that is due meanwhile. */
    public void advance(Duration duration) {
        time.advance(duration);
    }

    /** The node that leads: of those that believe so, the one with the newest token. A dead node does not lead. */
    public Optional<String> leaderOf(String election) {
        ElectionName name = ElectionName.of(election);
        return nodes.values().stream()
                .flatMap(node -> node.leads(name).stream().map(term -> Map.entry(term.token(), node.name())))
                .max(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue);
    }

    /** The newest token under which anybody has led. */
    public FencingToken highestToken(String election) {
        FencingToken token = highest.get(ElectionName.of(election));
        if (token == null) {
            throw new IllegalStateException("nobody has led election " + election + " yet; advance time first");
        }
        return token;
    }

    /** Nothing happens on the node until it is resumed, while its clocks go on: a long garbage collection, a SIGSTOP. */
    public void pauseNode(String name) {
        known(name).host().pause();
    }

    public void resumeNode(String name) {
        known(name).resume();
    }

    /** The node dies without a word. Its duties stop where they are; {@code finally} blocks run only at the close. */
    public void crashNode(String name) {
        known(name).host().crash();
    }

    /** A new process of the same name. It stands in no election until it is told to; crashes the old one if need be. */
    public FakeNode restartNode(String name) {
        known(name).host().crash();
        return start(name);
    }

    /** The node goes on, but nothing reaches the store, and no answer comes back. */
    public void cutOff(String name) {
        known(name).cutOff(true);
    }

    public void heal(String name) {
        known(name).cutOff(false);
    }

    /** Every event of every node so far, one line each. */
    public List<String> log() {
        return List.copyOf(log);
    }

    public VirtualTime time() {
        return time;
    }

    public InMemoryLeaseStore store() {
        return store;
    }

    public Duration ttl() {
        return ttl;
    }

    /**
     * Closes every running client as a real process would, then ends the threads of duties that still wait: those of
     * crashed and paused nodes, and those that do not stop when told.
     */
    @Override
    public void close() {
        try {
            for (FakeNode node : nodes.values()) {
                if (node.isRunning()) {
                    node.tenure().close();
                }
            }
        } finally {
            everStarted.forEach(node -> node.host().close());
            everStarted.clear();
            nodes.clear();
        }
    }

    private FakeNode start(String name) {
        FakeNode node = new FakeNode(name, this, seeds.next());
        node.tenure().onEvent(event -> record(node, event));
        nodes.put(name, node);
        everStarted.add(node);
        return node;
    }

    private FakeNode known(String name) {
        FakeNode node = nodes.get(name);
        if (node == null) {
            throw new IllegalArgumentException("no node " + name + ", only " + nodes.keySet());
        }
        return node;
    }

    private void record(FakeNode node, TenureEvent event) {
        node.note(event);
        if (event instanceof TenureEvent.Elected elected) {
            highest.merge(
                    elected.term().election(),
                    elected.term().token(),
                    (one, other) -> one.isNewerThan(other) ? one : other);
        }
        log.add(time.now() + " " + node.name() + " " + event);
    }
}
