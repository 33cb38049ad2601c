// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.contract.Recorder;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** One process at the session door, without an engine: calls are made on its loop and waited for. */
final class Side implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 30;

    private final Host host = SystemHost.start("test");
    private final AdvisoryBackend backend;
    private final Recorder heard = new Recorder();

    Side(String url) {
        backend = new AdvisoryProvider().connect(BackendUrl.parse(url), host);
    }

    AdvisoryBackend backend() {
        return backend;
    }

    BackendSession open(Duration ttl) {
        return ask(() -> backend.open(new SessionRequest("test", ttl), heard));
    }

    ClaimRequest request(ElectionName election) {
        return new ClaimRequest(election, new Nonce(host.random(), host.random()), 0, "holder", LeaderMetadata.EMPTY);
    }

    ClaimReply claim(BackendSession session, ElectionName election) {
        ClaimRequest request = request(election);
        return ask(() -> session.claim(request));
    }

    ClaimReply.Granted take(BackendSession session, ElectionName election) {
        return (ClaimReply.Granted) claim(session, election);
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

    <T> T ask(Supplier<CompletionStage<T>> call) {
        return within(send(call));
    }

    static <T> T within(CompletableFuture<T> answer) {
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof BackendException known) {
                throw known;
            }
            throw new CompletionException(failure.getCause());
        } catch (TimeoutException failure) {
            throw new AssertionError("not within " + PATIENCE_SECONDS + " s", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    /** The failure of a call, which must fail. */
    BackendException failure(Supplier<? extends CompletionStage<?>> call) {
        try {
            ask(() -> call.get().thenApply(reply -> reply));
        } catch (BackendException failure) {
            return failure;
        }
        throw new AssertionError("this call should have failed");
    }

    Recorder heard() {
        return heard;
    }

    String lossTold() {
        return first(heard::losses);
    }

    /** The elections that a heartbeat has found to be lost. */
    List<ElectionName> lostAtRenewal(BackendSession session) {
        RenewReply.Renewed renewed = (RenewReply.Renewed) ask(session::renew);
        return renewed.lostClaims().stream().map(RenewReply.LostClaim::election).toList();
    }

    ClaimReply.Granted pushed() {
        return first(heard::grants);
    }

    private static <T> T first(Supplier<List<T>> told) {
        await().atMost(Duration.ofSeconds(PATIENCE_SECONDS))
                .until(() -> !told.get().isEmpty());
        return told.get().get(0);
    }

    @Override
    public void close() {
        backend.close();
        host.shutdown();
    }
}
