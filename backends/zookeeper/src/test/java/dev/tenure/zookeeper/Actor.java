// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.contract.Recorder;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.SessionRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One process at the session door, without an engine: it renews by itself, and remembers what it was told. */
final class Actor implements AutoCloseable {
    private final SystemHost host = SystemHost.start("actor");
    private final Backend backend;
    private BackendSession session;
    final Recorder heard = new Recorder();

    Actor(String url) {
        backend = (Backend) new ZooKeeperProvider().connect(BackendUrl.parse(url), host);
    }

    static Actor open(String url, Duration ttl) throws Exception {
        Actor actor = new Actor(url);
        actor.open(ttl);
        return actor;
    }

    void open(Duration ttl) throws Exception {
        openWithoutRenewing(ttl);
        host.post(this::renew);
    }

    void openWithoutRenewing(Duration ttl) throws Exception {
        session = ask(() -> backend.open(new SessionRequest("actor", ttl), heard));
    }

    private void renew() {
        if (heard.losses().isEmpty()) {
            session.renew();
            host.wakeAt(host.nanos() + session.ttl().toNanos() / 4, this::renew);
        }
    }

    Backend backend() {
        return backend;
    }

    BackendSession session() {
        return session;
    }

    Nonce nonce() {
        return new Nonce(host.random(), host.random());
    }

    ClaimReply claim(ElectionName election, Nonce nonce) throws Exception {
        return ask(() -> session.claim(new ClaimRequest(election, nonce, 0, "actor", LeaderMetadata.EMPTY)));
    }

    ClaimReply.Granted take(ElectionName election) throws Exception {
        return (ClaimReply.Granted) claim(election, nonce());
    }

    /** Stands for a moment: afterwards it knows the znode of the election, and a claim begins with the creation of its latch. */
    void stoodBefore(ElectionName election) throws Exception {
        ClaimReply.Granted grant = take(election);
        ask(() -> session.release(election, grant.nonce()));
    }

    <T> T ask(Supplier<CompletionStage<T>> call) throws Exception {
        return send(call).get(30, TimeUnit.SECONDS);
    }

    <T> CompletableFuture<T> send(Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        host.post(() -> call.get().whenComplete((reply, failure) -> {
            if (failure == null) {
                answer.complete(reply);
            } else {
                answer.completeExceptionally(failure);
            }
        }));
        return answer;
    }

    List<FencingToken> tokens() {
        return heard.grants().stream().map(ClaimReply.Granted::token).toList();
    }

    @Override
    public void close() {
        heard.lost("closed by the test");
        backend.close();
        host.shutdown();
    }
}
