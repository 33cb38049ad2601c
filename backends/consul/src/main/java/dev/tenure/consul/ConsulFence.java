// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.ElectionName;
import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.Nonce;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.consul.ConsulClient.TxnReply;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.RecordCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Guards keys in Consul: a transaction writes them only while the newest term that the fence has seen is the writer's own.
 * Blocks; safe for any thread.
 *
 * <p>{@link #beside} is for an election with the same store URL: every transaction also checks that the lock still stands as
 * this very term took it, so that nothing is written from the moment that it was released, expired or deleted. {@link #at} is for an
 * election anywhere, which only a successor ends.
 *
 * <p>An answer that does not come leaves it open whether the write was applied; it was not applied twice, and not after a
 * newer term has raised the fence. A resource belongs to one election, that of the first term it sees.
 */
public final class ConsulFence implements Fence {
    /** What one transaction of Consul takes, without the checks. */
    private static final int CHANGES_MAX = 61;

    private static final int ROUNDS_MAX = 5;
    private static final int LOCK_CHECK = 1;
    private static final RecordCodec CODEC = new RecordCodec("tenure fence 1");

    private final ConsulClient client;
    private final KeyLayout keys;
    private final String resource;
    private final boolean beside;
    private final Duration timeout;

    /** One change of a user's key. */
    public record Change(String key, Optional<String> value) {}

    private ConsulFence(String url, String resource, boolean beside) {
        ConsulSettings settings = ConsulSettings.of(BackendUrl.parse(url));
        this.client = new ConsulClient(settings, Optional.empty());
        this.keys = settings.keys();
        this.resource = resource;
        this.beside = beside;
        this.timeout = settings.timeout();
    }

    /** @param resource names what is guarded; all that write to it name it alike */
    public static ConsulFence at(String url, String resource) {
        return new ConsulFence(url, resource, false);
    }

    /** For an election with this very store URL. Once its lock is gone, every call throws {@link NotLeadingException}. */
    public static ConsulFence beside(String url, String resource) {
        return new ConsulFence(url, resource, true);
    }

    public static Change put(String key, String value) {
        return new Change(key, Optional.of(value));
    }

    public static Change delete(String key) {
        return new Change(key, Optional.empty());
    }

    @Override
    public void raise(Term term) throws StaleTokenException, InterruptedException {
        write(term, List.of());
    }

    /** The same as with its term, and a refusal ends that term. */
    public void write(Leadership leadership, List<Change> changes) throws StaleTokenException, InterruptedException {
        try {
            write(leadership.term(), changes);
        } catch (StaleTokenException stale) {
            leadership.fenced(stale.seen());
            throw stale;
        }
    }

    /** Applies all of these changes, or none. The first write of a term raises the fence by itself. */
    public void write(Term term, List<Change> changes) throws StaleTokenException, InterruptedException {
        if (changes.size() > CHANGES_MAX) {
            throw new IllegalArgumentException(
                    "at most " + CHANGES_MAX + " changes fit into one transaction of Consul");
        }
        String fence = keys.fence(resource);
        for (int round = 0; round < ROUNDS_MAX; round++) {
            Optional<KeyValueEntry> seen = Optional.ofNullable(
                    txn(List.of(KeyLayout.tree(fence))).byKey().get(fence));
            if (seen.isPresent()) {
                refuseStale(term, seen.get());
            }
            List<String> operations = new ArrayList<>(List.of(KeyLayout.unchanged(fence, seen)));
            if (beside) {
                operations.add(KeyLayout.unchanged(
                        keys.lock(term.election()), term.token().sequence()));
            }
            if (seen.filter(entry -> entry.value().equals(text(term))).isEmpty()) {
                operations.add(KeyLayout.set(fence, text(term), 0));
            }
            changes.forEach(change -> operations.add(change.value
                    .map(value -> KeyLayout.set(change.key, value, 0))
                    .orElseGet(() -> KeyLayout.operation("delete", change.key))));
            TxnReply reply = txn(operations);
            if (reply.applied()) {
                return;
            }
            if (beside && reply.refusedAt() == LOCK_CHECK) {
                throw new NotLeadingException("token " + term.token() + " of election " + term.election()
                        + " may not write any more: its lock in Consul is gone");
            }
        }
        throw BackendException.unreachable("the fence of " + resource + " keeps moving; nothing was written");
    }

    private TxnReply txn(List<String> operations) throws InterruptedException {
        try {
            return client.txn(operations).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException failure) {
            if (failure.getCause() instanceof BackendException known) {
                throw known;
            }
            throw new BackendException(
                    Effect.UNKNOWN, Kind.UNREACHABLE, "no answer from Consul to a write of " + resource, failure);
        }
    }

    private static String text(Term term) {
        return CODEC.lines()
                .add("election", term.election().value())
                .add("token", term.token())
                .add("nonce", term.nonce())
                .text();
    }

    /** A fence that cannot be read lets nobody through. Two holders of one number are told apart by the nonce. */
    private void refuseStale(Term mine, KeyValueEntry entry) throws StaleTokenException {
        Term seen = CODEC.read(
                "the fence at key " + entry.key(),
                entry.value(),
                fields -> new Term(
                        ElectionName.of(fields.text("election")),
                        FencingToken.parse(fields.text("token")),
                        Nonce.parse(fields.text("nonce")),
                        ""));
        if (!seen.election().equals(mine.election())) {
            throw new IllegalStateException(
                    resource + " is guarded by election '" + seen.election() + "', not by '" + mine.election() + "'");
        }
        int newer = seen.token().compareTo(mine.token());
        if (newer > 0 || (newer == 0 && !seen.nonce().equals(mine.nonce()))) {
            throw new StaleTokenException(resource, mine, seen.token());
        }
    }
}
