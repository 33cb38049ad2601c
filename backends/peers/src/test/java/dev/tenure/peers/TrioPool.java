// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A group for every test. A member that has just begun does not vote for a while, so groups are started a few tests ahead; and one is
 * closed only when two more tests have begun, because the processes of its test are closed after it.
 */
final class TrioPool implements AutoCloseable {
    private static final int AHEAD = 10;
    private static final int BEHIND = 2;

    private final String options;
    private final Deque<Trio> ready = new ArrayDeque<>();
    private final Deque<String> order = new ArrayDeque<>();
    private final Map<String, Trio> used = new HashMap<>();
    private int next;

    TrioPool(String options) {
        this.options = options;
    }

    synchronized Trio of(String namespace) {
        return used.computeIfAbsent(namespace, this::take);
    }

    /** The members in turn. */
    synchronized PeersBackend door(String namespace) {
        String me = Trio.NAMES.get(next++ % Trio.NAMES.size());
        return of(namespace).door(me);
    }

    private Trio take(String namespace) {
        while (ready.size() < AHEAD) {
            ready.add(Trio.started(options));
        }
        order.add(namespace);
        if (order.size() > BEHIND) {
            Optional.ofNullable(used.get(order.remove())).ifPresent(Trio::close);
        }
        Trio next = ready.remove();
        next.awaitVotes();
        return next;
    }

    @Override
    public synchronized void close() {
        ready.forEach(Trio::close);
        used.values().forEach(Trio::close);
    }
}
