// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.ElectionName;
import dev.tenure.spi.Backend;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One process at the session door. Calls are made on its loop, as the engine makes them, and wait for their answer here. */
final class RawClient {
    private final ElectionFixture fixture;
    private final Backend backend;
    private final Host host;

    RawClient(ElectionFixture lab, Backend backend, Host host) {
        this.fixture = lab;
        this.backend = backend;
        this.host = host;
    }

    Backend backend() {
        return backend;
    }

    Host host() {
        return host;
    }

    ElectionFixture fixture() {
        return fixture;
    }

    Await await() {
        return fixture.await();
    }

    /** Opens a session that is renewed until it is closed or told to fall silent. */
    RawSession open(String node) {
        return open(node, fixture.ttl());
    }

    RawSession open(String node, Duration ttl) {
        Recorder events = new Recorder();
        SessionRequest request = new SessionRequest(node, ttl);
        long sentNanos = System.nanoTime();
        return new RawSession(this, ask(() -> backend.open(request, events)), events, sentNanos).keepAlive();
    }

    RawSession open() {
        return open("node");
    }

    Observation read(ElectionName election) {
        return ask(() -> backend.read(election));
    }

    List<Observation> list() {
        return ask(backend::list);
    }

    void request(OperatorRequest request) {
        ask(() -> backend.request(request));
    }

    StoreEra era() {
        return ask(backend::era);
    }

    StoreEra raiseEra(int atLeast) {
        return ask(() -> backend.raiseEra(atLeast));
    }

    Watch watch(Consumer<ElectionName> changed) {
        return ask(() -> CompletableFuture.completedFuture(backend.watch(changed)));
    }

    <T> T ask(Supplier<CompletionStage<T>> call) {
        return await().reply(send(call));
    }

    <T> CompletableFuture<T> send(Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        host.post(() -> forward(call, answer));
        return answer;
    }

    // A call that throws instead of failing its stage is judged by the test, and must not leave it waiting.
    static <T> void forward(Supplier<CompletionStage<T>> call, CompletableFuture<T> answer) {
        try {
            call.get().whenComplete((reply, failure) -> {
                if (failure == null) {
                    answer.complete(reply);
                } else {
                    answer.completeExceptionally(failure);
                }
            });
        } catch (RuntimeException | Error thrown) {
            answer.completeExceptionally(thrown);
        }
    }

    void close() {
        backend.close();
        host.shutdown();
    }
}
