package dev.tenure.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Own latches are watched, those that come together by one request. Who watches them hears also of one that had gone before.
 * If a request is lost, so is its connection, and on the next one all are watched again. Loop-confined.
 */
final class Vigils {
    private static final int BYTES_PER_VIGIL = 256;

    private final Calls calls;
    private final Convoy<Vigil> convoy;

    Vigils(Calls calls, Convoy.Road road) {
        this.calls = calls;
        this.convoy = new Convoy<>(road, this::send);
    }

    private record Vigil(String latch, CompletableFuture<Boolean> reply) implements Convoy.Traveller {
        @Override
        public int bytes() {
            return BYTES_PER_VIGIL;
        }
    }

    void over(String latch) {
        convoy.join(new Vigil(latch, new CompletableFuture<>()));
    }

    private CompletableFuture<Boolean> send(List<Vigil> vigils) {
        return calls.watch(vigils.stream().map(Vigil::latch).toList());
    }
}
