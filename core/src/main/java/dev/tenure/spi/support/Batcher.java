// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Many calls in few requests: what is asked for while something is under way is sent together. Ten thousand claims are some
 * hundred requests, and a call that is alone is sent at once. Loop-confined.
 */
public final class Batcher<T extends Batcher.Item> {
    /** A call that waits to be sent. */
    public interface Item {
        /** How many bytes it adds to the request or to its answer, whichever is more; roughly. */
        int bytes();

        /** What it may write to: two with one subject are not sent together. */
        default Object subject() {
            return this;
        }

        /** Is it still what the session wants? If not, it is not sent. */
        default boolean isWanted() {
            return true;
        }

        /** It was not sent, or the request for it could not be made. */
        void failed(BackendException why);
    }

    /**
     * @param items in one request
     * @param bytes in one request, unless a single item has more
     * @param requests under way at the same time
     */
    public record Limits(int items, int bytes, int requests) {}

    private final Host host;
    private final Limits limits;
    private final Function<List<T>, CompletionStage<?>> send;
    private final Deque<T> waiting = new ArrayDeque<>();
    private int underWay;
    private boolean posted;
    private boolean sending;

    /** @param send answers each item, and completes on the loop when all are answered */
    public Batcher(Host host, Limits limits, Function<List<T>, CompletionStage<?>> send) {
        this.host = host;
        this.limits = limits;
        this.send = send;
    }

    /** Sends the item at once if nothing is under way, else together with others. Call it on the loop. */
    public void add(T item) {
        waiting.add(item);
        if (sending) {
            return; // it is looked at next
        }
        if ((underWay == 0 && !posted) || waiting.size() >= limits.items) {
            sendWaiting();
        } else {
            sendSoon();
        }
    }

    /** Nothing waits, and nothing is under way. */
    public boolean isIdle() {
        return waiting.isEmpty() && underWay == 0;
    }

    /** After everything that the loop has before it: more may be asked for. */
    private void sendSoon() {
        if (!posted) {
            posted = true;
            host.post(() -> {
                posted = false;
                sendWaiting();
            });
        }
    }

    private void sendWaiting() {
        sending = true;
        try {
            while (underWay < limits.requests && !waiting.isEmpty()) {
                List<T> batch = next();
                if (!batch.isEmpty()) {
                    underWay++;
                    Stages.ignore("a batch of calls", begin(batch).whenComplete((done, failure) -> {
                        underWay--;
                        sendSoon();
                    }));
                }
            }
        } finally {
            sending = false;
        }
    }

    private CompletionStage<?> begin(List<T> batch) {
        try {
            return send.apply(batch);
        } catch (RuntimeException bug) {
            batch.forEach(item -> item.failed(BackendException.unknown("a batch of calls failed: " + bug, bug)));
            return CompletableFuture.failedFuture(bug);
        }
    }

    private List<T> next() {
        List<T> batch = new ArrayList<>();
        Set<Object> subjects = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<T> later = new ArrayDeque<>();
        int bytes = 0;
        while (batch.size() < limits.items && !waiting.isEmpty()) {
            T item = waiting.remove();
            int size = item.bytes();
            if (!item.isWanted()) {
                item.failed(overtaken());
            } else if (bytes + size > limits.bytes && !batch.isEmpty()) {
                later.addFirst(item);
                break;
            } else if (!subjects.add(item.subject())) {
                later.addFirst(item);
            } else {
                bytes += size;
                batch.add(item);
            }
        }
        later.forEach(waiting::addFirst);
        return batch;
    }

    /** The failure of an item that nobody wants any more: it was not sent. */
    public static BackendException overtaken() {
        return BackendException.unreachable("this call was overtaken by a newer one, or by the end of its session");
    }
}
