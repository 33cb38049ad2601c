// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.consul.ConsulClient.TxnReply;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.Stages;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Calls of one session that travel together. All that is answered here is answered on the loop. Loop-confined. */
final class SharedTxns {
    /** Consul takes 64 operations and half a megabyte in one transaction, and a claim has four operations. */
    private static final Batcher.Limits LIMITS = new Batcher.Limits(16, 200_000, 4);

    private final ConsulClient client;
    private final Host host;
    private final Batcher<Part> batcher;

    SharedTxns(ConsulClient client, Host host) {
        this.client = client;
        this.host = host;
        this.batcher = new Batcher<>(host, LIMITS, this::send);
    }

    /** The operations of one call. */
    private record Part(
            List<String> operations, Object subject, BooleanSupplier wanted, CompletableFuture<TxnReply> reply)
            implements Batcher.Item {
        @Override
        public int bytes() {
            return operations.stream().mapToInt(String::length).sum();
        }

        @Override
        public boolean isWanted() {
            return wanted.getAsBoolean();
        }

        @Override
        public void failed(BackendException why) {
            reply.completeExceptionally(why);
        }
    }

    /** @param subject two with the same do not travel together */
    CompletableFuture<TxnReply> send(List<String> operations, Object subject, BooleanSupplier wanted) {
        Part part = new Part(operations, subject, wanted, new CompletableFuture<>());
        batcher.add(part);
        return part.reply;
    }

    /** If one is refused, none is applied: then each goes alone. */
    private CompletableFuture<?> send(List<Part> parts) {
        List<String> all =
                parts.stream().flatMap(part -> part.operations.stream()).toList();
        CompletableFuture<Void> done = new CompletableFuture<>();
        Stages.follow(
                onLoop(client.txn(all)),
                reply -> {
                    if (reply.applied() || parts.size() == 1) {
                        parts.forEach(part -> part.reply.complete(reply));
                        done.complete(null);
                        return;
                    }
                    CompletableFuture<Void> each = CompletableFuture.allOf(
                            parts.stream().map(part -> send(List.of(part))).toArray(CompletableFuture<?>[]::new));
                    Stages.follow(each, sent -> done.complete(null), done::completeExceptionally);
                },
                failure -> {
                    parts.forEach(part -> part.reply.completeExceptionally(failure));
                    done.complete(null);
                });
        return done;
    }

    <T> CompletableFuture<T> onLoop(CompletableFuture<T> call) {
        CompletableFuture<T> onLoop = new CompletableFuture<>();
        Stages.follow(
                call,
                reply -> host.post(() -> onLoop.complete(reply)),
                failure -> host.post(() -> onLoop.completeExceptionally(failure)));
        return onLoop;
    }
}
