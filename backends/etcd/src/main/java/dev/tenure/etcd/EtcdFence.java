// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.Nonce;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.EtcdSettings;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.Txn.Operation;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.RecordCodec;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Guards keys in etcd: a transaction writes them only while the newest term that the fence has seen is the writer's own,
 * comparison and effect in one step. Blocks; safe for any thread.
 *
 * <pre>{@code
 * EtcdFence ledger = EtcdFence.beside("etcd://etcd-0:2379/billing", "ledger");
 * tenure.elect("sweeper").fencedBy(ledger).perform(leadership ->
 *         ledger.write(leadership, List.of(EtcdFence.put("balance/7", "12"))));
 * }</pre>
 *
 * <p>{@link #beside} is for an election in the same folder: nothing is written from the moment that its holder's entry is
 * gone, before anybody else has raised the fence. {@link #at} is for an election anywhere, which only a successor ends.
 *
 * <p>An answer that does not come leaves it open whether the write was applied; it was not applied twice, and not after a
 * newer term has raised the fence. A resource belongs to one election, that of the first term it sees.
 */
public final class EtcdFence implements Fence {
    private static final int ROUNDS_MAX = 5;
    private static final Cleaner FORGOTTEN = Cleaner.create();
    private static final RecordCodec CODEC = new RecordCodec("tenure fence 1");

    private final EtcdClient client;
    private final Keys keys;
    private final String resource;
    private final boolean beside;

    /** One change of a user's key. */
    public static final class Change {
        private final Operation operation;

        private Change(Operation operation) {
            this.operation = operation;
        }
    }

    private EtcdFence(String url, String resource, boolean beside) {
        if (resource.isEmpty()) {
            throw new IllegalArgumentException("a fence needs the name of what it guards");
        }
        EtcdSettings settings = EtcdSettings.of(BackendUrl.parse(url));
        this.client = EtcdClient.blocking(settings);
        this.keys = settings.keys();
        this.resource = resource;
        this.beside = beside;
        FORGOTTEN.register(this, client::close); // a fence is not closed by its user
    }

    /** @param resource names what is guarded; all writers use the same name */
    public static EtcdFence at(String url, String resource) {
        return new EtcdFence(url, resource, false);
    }

    /**
     * For an election with this very store URL. What its term writes is applied only while its own entry in the store is there;
     * afterwards every call throws {@link dev.tenure.NotLeadingException}.
     */
    public static EtcdFence beside(String url, String resource) {
        return new EtcdFence(url, resource, true);
    }

    public static Change put(String key, String value) {
        return new Change(Operation.put(Keys.bytes(key), value));
    }

    public static Change delete(String key) {
        return new Change(Operation.delete(Keys.bytes(key)));
    }

    @Override
    public void raise(Term term) throws StaleTokenException, InterruptedException {
        apply(term);
    }

    /** Applies all of these changes, or none. The first write of a term raises the fence by itself. */
    public void write(Term term, List<Change> changes) throws StaleTokenException, InterruptedException {
        apply(term, changes.stream().map(change -> change.operation).toArray(Operation[]::new));
    }

    /** The same, and a refusal ends the term. */
    public void write(Leadership leadership, List<Change> changes) throws StaleTokenException, InterruptedException {
        try {
            write(leadership.term(), changes);
        } catch (StaleTokenException stale) {
            leadership.fenced(stale.seen());
            throw stale;
        }
    }

    private void apply(Term term, Operation... operations) throws StaleTokenException, InterruptedException {
        String key = keys.fence(resource);
        String mine = text(term);
        Operation[] raised = Stream.concat(Stream.of(Operation.put(key, mine)), Stream.of(operations))
                .toArray(Operation[]::new);
        for (int round = 0; round < ROUNDS_MAX; round++) {
            Txn asMine = new Txn().ifValue(key, mine).otherwise(Operation.get(key));
            Txn.Reply reply = client.await(then(asMine, term, operations));
            if (!reply.succeeded()) {
                Optional<KeyValue> stored = reply.first(0);
                if (stored.isPresent()) {
                    refuseStale(term, stored.get());
                }
                long revision = stored.map(KeyValue::modRevision).orElse(0L);
                reply = client.await(then(new Txn().ifModified(key, revision), term, raised));
            }
            if (reply.succeeded()) {
                check(term, reply);
                return;
            }
        }
        throw BackendException.unreachable("the fence of " + resource + " keeps moving; nothing was written");
    }

    /**
     * Beside an election, nothing of these operations is applied unless the candidate's key that holds the term is still there.
     * A fence does not know that key, because a term does not name its lease; but it knows the revision that created it, and
     * that it was the oldest of its election then. So it is there for as long as any key of the election is not younger than it.
     */
    private Txn then(Txn txn, Term term, Operation... operations) {
        if (!beside) {
            return txn.then(operations);
        }
        KeyRange election = keys.election(term.election());
        Txn unlessAllAreYounger =
                new Txn().ifNoneBefore(election, term.token().sequence() + 1).otherwise(operations);
        return txn.then(
                new Txn().ifAny(election).then(unlessAllAreYounger.inside()).inside());
    }

    /** @throws NotLeadingException if that key was not there, so that nothing was applied */
    private void check(Term term, Txn.Reply reply) {
        if (beside && (!reply.txn(0).succeeded() || reply.txn(0).txn(0).succeeded())) {
            throw new NotLeadingException("token " + term.token() + " of election " + term.election()
                    + " may not write any more: its entry in the store is gone");
        }
    }

    private static String text(Term term) {
        return CODEC.lines()
                .add("election", term.election().value())
                .add("token", term.token())
                .add("nonce", term.nonce())
                .text();
    }

    /** A fence that cannot be read refuses everybody. The nonce distinguishes two holders of one number: the first keeps it. */
    private void refuseStale(Term mine, KeyValue stored) throws StaleTokenException {
        Term seen = CODEC.read(
                "the fence at key " + stored.key(),
                stored.value(),
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
