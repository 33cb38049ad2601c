// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.lease;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.simulator.store.Call;
import dev.tenure.simulator.store.SimulatedLink;
import dev.tenure.simulator.store.StoreHistory;
import dev.tenure.simulator.trace.WorldTrace;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ExternalTokens;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.RenewalReader;
import dev.tenure.spi.TokenIssuer;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The compare-and-set door as one process has it: every call travels over its {@link SimulatedLink}. */
public class LeaseLink implements LeaseStore {
    private final LeaseServer server;
    private final SimulatedLink link;
    private final Consumer<Runnable> loop;
    private final StoreHistory history;
    private final BackendTraits traits;

    /** @param loop where the process comes to know of what arrives, when it gets to it */
    public static LeaseLink of(LeaseServer server, SimulatedLink link, Consumer<Runnable> loop, StoreHistory history) {
        if (server.keepsTokens) {
            return new Drawing(server, link, loop, history);
        }
        if (server.readsWithRenewals) {
            return new Reading(server, link, loop, history);
        }
        return server.issues() ? new Issuing(server, link, loop, history) : new LeaseLink(server, link, loop, history);
    }

    /** Its own token store: the server keeps the records of tokens whatever it loses. */
    private static final class Drawing extends LeaseLink implements ExternalTokens {
        Drawing(LeaseServer server, SimulatedLink link, Consumer<Runnable> loop, StoreHistory history) {
            super(server, link, loop, history);
        }

        @Override
        public LeaseStore tokenStore() {
            return this;
        }
    }

    private static final class Issuing extends LeaseLink implements TokenIssuer {
        Issuing(LeaseServer server, SimulatedLink link, Consumer<Runnable> loop, StoreHistory history) {
            super(server, link, loop, history);
        }

        @Override
        public long tokenOf(Versioned written) {
            return LeaseServer.numberOf(written.version().orElseThrow());
        }
    }

    private static final class Reading extends LeaseLink implements RenewalReader {
        Reading(LeaseServer server, SimulatedLink link, Consumer<Runnable> loop, StoreHistory history) {
            super(server, link, loop, history);
        }

        @Override
        public CompletionStage<Answer> renew(Write write, Wanted wanted) {
            return send(write, wanted);
        }
    }

    private LeaseLink(LeaseServer server, SimulatedLink link, Consumer<Runnable> loop, StoreHistory history) {
        this.server = server;
        this.link = link;
        this.loop = loop;
        this.history = history;
        this.traits = BackendTraits.of("simulated lease store")
                .grade(Grade.A, "")
                .scope(Scope.CLUSTER)
                .ttl(Duration.ofMillis(100), Duration.ofDays(1))
                .expiry(server.judge())
                .tokens(server.issues() ? BackendTraits.TokenSource.REVISION : BackendTraits.TokenSource.COUNTER)
                .wakeup(BackendTraits.Wakeup.WATCH)
                .build();
    }

    @Override
    public BackendTraits traits() {
        return traits;
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        return link.send(new Read(key));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return link.send(new ListAll(prefix));
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        Set call = new Set(write);
        call.recordHistory();
        return link.send(call);
    }

    final CompletionStage<RenewalReader.Answer> send(Write renewal, RenewalReader.Wanted wanted) {
        return link.send(new Renew(renewal, wanted));
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        history.writing(link.process());
        if (expected.key().startsWith(LeaseServer.SESSIONS)) {
            history.leaving(link.process(), expected.key().substring(2));
        }
        return link.send(new Delete(expected));
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        RecordWatch hint = new RecordWatch(link, prefix, changedKey);
        server.watch(hint);
        return () -> server.unwatch(hint);
    }

    @Override
    public void close() {}

    private void sawClaim(String key, @Nullable ClaimText seen) {
        int election = server.electionOf(key);
        if (election == WorldTrace.NONE || ClaimText.GARBAGE.equals(seen)) {
            return;
        }
        if (seen != null && seen.held()) {
            history.proved(link.process(), election, seen.nonce(), seen.token());
            return;
        }
        history.learnedOfLoss(link.process(), election);
        if (seen != null) {
            history.saw(link.process(), election, seen.token());
        }
    }

    /** A process that stands still has been answered and does not know it yet. */
    private void clockArrived(long servedNanos) {
        loop.accept(() -> history.clockShown(link.process(), servedNanos));
    }

    private static long code(int operation, String key) {
        return ((long) operation << 32) ^ (key.hashCode() & 0xffffffffL);
    }

    private final class Read extends Call<Versioned> {
        private final String key;
        private @Nullable ClaimText claim;

        Read(String key) {
            super(link, false);
            this.key = key;
        }

        @Override
        protected Versioned apply() {
            Stored found = server.find(key);
            claim = found == null ? null : found.claim;
            return server.view(key, found);
        }

        @Override
        protected void delivered(Versioned reply) {
            sawClaim(key, claim);
            clockArrived(servedNanos());
        }

        @Override
        protected long code() {
            return LeaseLink.code(1, key);
        }

        @Override
        public String toString() {
            return "read " + key;
        }
    }

    private final class ListAll extends Call<List<Versioned>> {
        private final String prefix;

        ListAll(String prefix) {
            super(link, false);
            this.prefix = prefix;
        }

        @Override
        protected List<Versioned> apply() {
            return server.list(prefix);
        }

        @Override
        protected long code() {
            return LeaseLink.code(2, prefix);
        }

        @Override
        public String toString() {
            return "list " + prefix;
        }
    }

    private final class Set extends Call<WriteReply> {
        private final Write write;
        private final @Nullable ClaimText claim;

        Set(Write write) {
            super(link, true);
            this.write = write;
            this.claim = write.key().startsWith(LeaseServer.CLAIMS) ? ClaimText.of(write.value(), 0) : null;
        }

        void recordHistory() {
            history.writing(link.process());
            ClaimText text = claim;
            int election = server.electionOf(write.key());
            if (text == null || election == WorldTrace.NONE) {
                return;
            }
            if (text.held()) {
                history.claiming(link.process(), election, text.session(), text.nonce());
                if (!server.issues()) {
                    history.counted(link.process(), text.nonce(), text.token());
                }
            } else if (!write.value().contains("\nstate=CLAIMED\n")) {
                history.releasing(link.process(), election, text.session());
            }
        }

        @Override
        protected WriteReply apply() {
            return server.set(write, link.process());
        }

        @Override
        protected void delivered(WriteReply reply) {
            ClaimText text = claim;
            if (text == null) {
                return;
            }
            if (reply instanceof WriteReply.Refused refused) {
                clockArrived(servedNanos());
                Versioned current = refused.current();
                sawClaim(write.key(), current.isPresent() ? ClaimText.of(current) : null);
            } else if (text.held()) {
                sawClaim(write.key(), ClaimText.of(((WriteReply.Applied) reply).now()));
            }
        }

        @Override
        protected long code() {
            return LeaseLink.code(3, write.key());
        }

        @Override
        public String toString() {
            String text = write.value().replace('\n', ' ');
            return "set " + write.key() + " if "
                    + write.expected().version().map(v -> "v" + v).orElse("absent") + ": "
                    + text.substring(0, Math.min(text.length(), 230));
        }
    }

    /** Reads first, and then writes: what it shows can be older than the write. */
    private final class Renew extends Call<RenewalReader.Answer> {
        private final Set set;
        private final RenewalReader.Wanted wanted;

        Renew(Write write, RenewalReader.Wanted wanted) {
            super(link, true);
            this.set = new Set(write);
            this.wanted = wanted;
            set.recordHistory();
        }

        @Override
        public RenewalReader.Answer apply() {
            List<Versioned> found = new ArrayList<>();
            wanted.keys().stream().sorted().forEach(key -> found.add(server.view(key, server.find(key))));
            wanted.prefixes().stream().sorted().forEach(prefix -> found.addAll(server.list(prefix)));
            return new RenewalReader.Answer(set.apply(), found);
        }

        @Override
        protected void delivered(RenewalReader.Answer reply) {
            if (reply.reply() instanceof WriteReply.Refused) {
                clockArrived(servedNanos());
            }
            reply.records().stream()
                    .filter(record -> record.key().startsWith(LeaseServer.CLAIMS))
                    .forEach(record -> sawClaim(record.key(), record.isPresent() ? ClaimText.of(record) : null));
        }

        @Override
        protected long code() {
            return LeaseLink.code(5, set.write.key());
        }

        @Override
        public String toString() {
            return set + ", reading " + wanted.keys() + wanted.prefixes();
        }
    }

    private final class Delete extends Call<WriteReply> {
        private final Versioned expected;

        Delete(Versioned expected) {
            super(link, true);
            this.expected = expected;
        }

        @Override
        protected WriteReply apply() {
            return server.delete(expected, link.process());
        }

        @Override
        protected long code() {
            return LeaseLink.code(4, expected.key());
        }

        @Override
        public String toString() {
            return "delete " + expected.key();
        }
    }
}
