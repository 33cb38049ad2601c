package dev.tenure.zookeeper;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * What is asked for while something is under way travels together: ten thousand claims are some hundred transactions, and
 * whoever asks alone leaves at once. Loop-confined.
 */
final class Convoy<T extends Convoy.Traveller> {
    /** One that travels. */
    interface Traveller {
        /** How many bytes it adds to the request or to its answer, whichever is more; roughly. */
        int bytes();

        CompletableFuture<?> reply();
    }

    private static final int TRAVELLERS_MAX = 128;
    /** An eighth of what servers and clients accept by default, for an answer may be longer than was thought. */
    private static final int BYTES_MAX = 128 * 1024;

    private static final int UNDER_WAY_MAX = 4;

    /**
     * What all convoys of one session have in common.
     *
     * @param over true once nothing may be sent any more
     */
    record Road(Host host, BooleanSupplier over) {}

    private final Road road;
    private final Function<List<T>, CompletableFuture<?>> send;
    private final Queue<T> waiting = new ArrayDeque<>();
    private int underWay;
    private boolean leaving;

    /** @param send answers each of them, and completes when all are answered */
    Convoy(Road road, Function<List<T>, CompletableFuture<?>> send) {
        this.road = road;
        this.send = send;
    }

    /** The first one leaves at once, because mostly it is the only one; and a full convoy has nobody to wait for. */
    void join(T traveller) {
        boolean first = underWay == 0 && !leaving;
        if (first && waiting.isEmpty() && !road.over.getAsBoolean()) {
            depart(List.of(traveller));
            return;
        }
        waiting.add(traveller);
        if (first || waiting.size() >= TRAVELLERS_MAX) {
            leave();
        } else {
            leaveSoon();
        }
    }

    /** After everything that the loop has before it: others may still want to come along. */
    private void leaveSoon() {
        if (!leaving) {
            leaving = true;
            road.host.post(() -> {
                leaving = false;
                leave();
            });
        }
    }

    private void leave() {
        if (road.over.getAsBoolean()) {
            waiting.forEach(late -> late.reply()
                    .completeExceptionally(
                            new BackendException(Effect.NONE, Kind.UNREACHABLE, "this session is over")));
            waiting.clear();
        }
        while (underWay < UNDER_WAY_MAX && !waiting.isEmpty()) {
            depart(next());
        }
    }

    private void depart(List<T> together) {
        underWay++;
        Aside.run(send.apply(together).whenComplete((done, failure) -> {
            underWay--;
            leaveSoon();
        }));
    }

    private List<T> next() {
        List<T> together = new ArrayList<>();
        int bytes = 0;
        while (together.size() < TRAVELLERS_MAX && !waiting.isEmpty()) {
            bytes += waiting.element().bytes();
            if (bytes > BYTES_MAX && !together.isEmpty()) {
                break;
            }
            together.add(waiting.remove());
        }
        return together;
    }
}
