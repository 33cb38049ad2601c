package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.spi.Host;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Claims and releases, many at a time but never two of one election, and in their order: so a release knows what became of
 * every earlier claim. Loop-confined.
 */
final class Orders {
    private static final int BATCH_MAX = 256;

    private final Host host;
    private final Bearer bearer;
    private final Deque<Order> waiting = new ArrayDeque<>();
    private boolean underWay;

    /** Carries them to the server. */
    interface Bearer {
        Line lineOf(ElectionName election);

        /** All of one kind, on one line, each of another election. Answers each on the loop, and then completes there. */
        CompletableFuture<?> carry(Line line, List<Order> batch);
    }

    Orders(Host host, Bearer bearer) {
        this.host = host;
        this.bearer = bearer;
    }

    void add(Order order) {
        waiting.add(order);
        if (!underWay) {
            underWay = true;
            // Those that are asked for in the same turn of the loop go together.
            host.post(this::next);
        }
    }

    private void next() {
        List<Order> batch = new ArrayList<>();
        Set<ElectionName> named = new HashSet<>();
        Order first = waiting.peek();
        if (first == null) {
            underWay = false;
            return;
        }
        Line line = bearer.lineOf(first.election());
        Order order = first;
        while (order != null
                && batch.size() < BATCH_MAX
                && order.getClass() == first.getClass()
                && bearer.lineOf(order.election()) == line
                && named.add(order.election())) {
            batch.add(order);
            waiting.poll();
            order = waiting.peek();
        }
        Aside.run("claims or releases", bearer.carry(line, batch).whenComplete((done, failure) -> {
            if (failure != null) {
                Throwable why = failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                batch.forEach(failed -> failed.fail(why));
            }
            next();
        }));
    }

    /** Nothing more is sent. */
    void close(RuntimeException why) {
        waiting.forEach(order -> order.fail(why));
        waiting.clear();
    }
}
