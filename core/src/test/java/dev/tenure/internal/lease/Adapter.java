// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.Versioned;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** One process as the adapter's tests need it: a backend of its own over the shared store, on the shared host. */
final class Adapter {
    static final Duration TTL = Duration.ofSeconds(10);
    static final ElectionName ELECTION = ElectionName.of("sweeper");

    private static long nonces;

    final ManualHost host;
    final LeaseBackend backend;
    final Heard heard = new Heard();
    private final String node;

    Adapter(String node, ManualHost host, MemoryStore store) {
        this.node = node;
        this.host = host;
        this.backend = new LeaseBackend(store, host);
    }

    /** What the session pushed. */
    static final class Heard implements SessionEvents {
        final List<ElectionName> changed = new ArrayList<>();
        final List<OperatorRequest> requested = new ArrayList<>();
        long tokenMax;
        final List<String> lost = new ArrayList<>();

        @Override
        public void granted(ElectionName election, ClaimReply.Granted grant) {
            throw new AssertionError("this adapter never pushes a grant");
        }

        @Override
        public void changed(ElectionName election) {
            changed.add(election);
        }

        @Override
        public void tokenObserved(ElectionName election, long token) {
            tokenMax = Math.max(tokenMax, token);
        }

        @Override
        public void requested(OperatorRequest request) {
            requested.add(request);
        }

        @Override
        public void lost(String why) {
            lost.add(why);
        }
    }

    BackendSession open() {
        return await(backend.open(new SessionRequest(node, TTL), heard));
    }

    /** A claim record whose token stands in it. */
    static ClaimRecord claim(Versioned stored) {
        return ClaimRecord.of(stored, era -> {
            throw new AssertionError("no token stands in " + stored);
        });
    }

    static ClaimRequest request() {
        return request(new Nonce(7, ++nonces), 0);
    }

    static ClaimRequest request(Nonce nonce, long floor) {
        return new ClaimRequest(ELECTION, nonce, floor, "holder", LeaderMetadata.EMPTY);
    }

    ClaimReply.Granted granted(BackendSession session) {
        ClaimReply reply = await(session.claim(request()));
        assertThat(reply).isInstanceOf(ClaimReply.Granted.class);
        return (ClaimReply.Granted) reply;
    }

    <T> T await(CompletionStage<T> stage) {
        host.settle();
        CompletableFuture<T> future = stage.toCompletableFuture();
        assertThat(future).as("answered").isDone();
        return future.join();
    }

    boolean isAnswered(CompletionStage<?> stage) {
        host.settle();
        return stage.toCompletableFuture().isDone();
    }

    /** The failure of a call that has failed by now. */
    BackendException failure(CompletionStage<?> stage) {
        host.settle();
        try {
            Object reply = stage.toCompletableFuture().getNow(null);
            throw new AssertionError("expected a failure, but got " + reply);
        } catch (CompletionException failed) {
            Throwable root = failed;
            while (root instanceof CompletionException && root.getCause() != null) {
                root = root.getCause();
            }
            assertThat(root).isInstanceOf(BackendException.class);
            return (BackendException) root;
        }
    }
}
