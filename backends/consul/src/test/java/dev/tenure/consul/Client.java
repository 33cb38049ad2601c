// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.contract.Recorder;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.support.Stages;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One process at the session door, without an engine. Its calls are made on its loop. */
final class Client implements AutoCloseable {
    private final Host host = SystemHost.start("consul-test");
    private final ConsulBackend backend;

    Client(String url) {
        this.backend = ConsulBackend.connect(url, host);
    }

    ConsulBackend backend() {
        return backend;
    }

    <T> CompletableFuture<T> send(Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        host.post(() -> call.get().whenComplete((reply, failure) -> {
            if (failure == null) {
                answer.complete(reply);
            } else {
                answer.completeExceptionally(Stages.rootOf(failure));
            }
        }));
        return answer;
    }

    <T> T ask(Supplier<CompletionStage<T>> call) {
        return reply(send(call));
    }

    static <T> T reply(CompletableFuture<T> answer) {
        try {
            return answer.get(30, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException failure) {
            if (failure.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new AssertionError(failure.getCause());
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    Seat open(Duration ttl) {
        Recorder heard = new Recorder();
        return new Seat(ask(() -> backend.open(new SessionRequest("node", ttl), heard)), heard);
    }

    @Override
    public void close() {
        backend.close();
        host.shutdown();
    }

    /** One session. */
    final class Seat {
        final BackendSession session;
        final Recorder heard;

        Seat(BackendSession session, Recorder heard) {
            this.session = session;
            this.heard = heard;
        }

        String id() {
            return session.id();
        }

        Nonce nonce() {
            return new Nonce(host.random(), host.random());
        }

        RenewReply renew() {
            return ask(session::renew);
        }

        CompletableFuture<ClaimReply> send(ElectionName election, Nonce nonce) {
            ClaimRequest request = new ClaimRequest(election, nonce, 0, "holder", LeaderMetadata.EMPTY);
            return Client.this.send(() -> session.claim(request));
        }

        ClaimReply claim(ElectionName election, Nonce nonce) {
            return reply(send(election, nonce));
        }

        ClaimReply.Granted take(ElectionName election) {
            return (ClaimReply.Granted) claim(election, nonce());
        }

        Nonce waitFor(ElectionName election) {
            Nonce nonce = nonce();
            if (claim(election, nonce) instanceof ClaimReply.Granted granted) {
                throw new AssertionError("should have had to wait: " + granted);
            }
            return nonce;
        }

        ReleaseReply release(ElectionName election, Nonce nonce) {
            return ask(() -> session.release(election, nonce));
        }

        boolean holds(ElectionName election, ClaimReply.Granted grant) {
            return ask(() -> session.holds(new Term(election, grant.token(), grant.nonce(), "holder")));
        }

        void close() {
            ask(session::close);
        }
    }
}
