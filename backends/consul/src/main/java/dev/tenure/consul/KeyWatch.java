// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.ElectionName;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.WatchRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One query that waits for changes of any key, for all elections of a process. Every answer shows all keys, so that nothing is
 * missed by one that was lost. It decides nothing. Loop-confined, except for {@link #watch} and {@link #close}.
 */
final class KeyWatch {
    private static final Duration WAIT = Duration.ofSeconds(10);
    /** Answers that follow each other at once cost no more than this often. */
    private static final Duration BETWEEN = Duration.ofMillis(50);

    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

    private final ConsulClient client;
    private final Host host;
    private final KeyLayout keys;
    private final WatchRegistry<Consumer<ElectionName>> watchers = new WatchRegistry<>();
    private final Set<ConsulSession> sessions = new HashSet<>();
    private Optional<Map<String, KeyValueEntry>> view = Optional.empty();
    private long index;
    private boolean asking;
    private volatile boolean closed;

    KeyWatch(ConsulClient client, Host host, KeyLayout keys) {
        this.client = client;
        this.host = host;
        this.keys = keys;
    }

    void join(ConsulSession session) {
        sessions.add(session);
        view.ifPresent(known -> session.changed(keysThatDiffer(Map.of(), known), known));
        ask();
    }

    void leave(ConsulSession session) {
        sessions.remove(session);
    }

    Watch watch(Consumer<ElectionName> changed) {
        Watch watch = watchers.add(changed);
        host.post(this::ask);
        return watch;
    }

    /** What was seen last, if anything: it may be old. */
    Optional<Map<String, KeyValueEntry>> view() {
        return view;
    }

    private void ask() {
        if (asking || closed || (sessions.isEmpty() && !watchers.anyMatch(any -> true))) {
            return;
        }
        asking = true;
        long next = host.nanos() + BETWEEN.toNanos();
        Duration wait = sessions.stream()
                .map(ConsulSession::ttl)
                .min(Duration::compareTo)
                .orElse(WAIT);
        Stages.follow(
                client.changes(index, wait),
                found -> host.post(() -> {
                    // One that goes back is that of another store, or of a backup.
                    index = found.index() < index ? 0 : found.index();
                    show(found.entries());
                    askAt(next);
                }),
                failure -> host.post(() -> {
                    index = 0;
                    askAt(host.nanos() + AFTER_FAILURE.toNanos());
                }));
    }

    private void askAt(long nanos) {
        host.wakeAt(nanos, () -> {
            asking = false;
            ask();
        });
    }

    /** Asks once, at the price of one read. */
    CompletableFuture<Boolean> catchUp() {
        return client.txn(List.of(KeyLayout.tree(keys.prefix() + "/"))).thenApply(found -> {
            host.post(() -> show(found.entries()));
            return true;
        });
    }

    private void show(List<KeyValueEntry> entries) {
        Map<String, KeyValueEntry> now = KeyLayout.byKey(entries);
        Set<String> changed = keysThatDiffer(view.orElse(Map.of()), now);
        view = Optional.of(now);
        Set<ElectionName> elections = new HashSet<>();
        changed.forEach(key -> keys.electionOf(key).ifPresent(elections::add));
        watchers.publish(watcher -> elections.forEach(watcher));
        List.copyOf(sessions).forEach(session -> session.changed(changed, now));
    }

    private static Set<String> keysThatDiffer(Map<String, KeyValueEntry> before, Map<String, KeyValueEntry> now) {
        Set<String> all = new HashSet<>(before.keySet());
        all.addAll(now.keySet());
        all.removeIf(key -> Objects.equals(before.get(key), now.get(key)));
        return all;
    }

    void close() {
        closed = true;
        watchers.close();
    }
}
