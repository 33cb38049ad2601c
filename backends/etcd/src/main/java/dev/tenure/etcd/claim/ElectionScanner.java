// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.claim;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.Txn.Operation;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Observation;
import dev.tenure.spi.support.TermRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Linearizable reads of elections, for observers, and which candidate leads in what was read. */
public final class ElectionScanner {
    private static final int SHOWN_MAX = 200;

    private final EtcdClient client;
    private final Keys keys;

    public ElectionScanner(EtcdClient client, Keys keys) {
        this.client = client;
        this.keys = keys;
    }

    public CompletableFuture<Observation> read(ElectionName election) {
        Txn txn = new Txn()
                .then(
                        Operation.first(keys.election(election)),
                        Operation.get(keys.term(election)),
                        Operation.get(keys.era()));
        return client.txn(txn)
                .thenApply(found -> observation(
                        election, found.first(0), found.first(1).flatMap(KeyValue::term), era(found.first(2))));
    }

    private static int era(Optional<KeyValue> stored) {
        return stored.map(known -> known.era().era()).orElse(0);
    }

    /** With a folder, everything in it is read at one revision; without one, only elections with a recorded term are found. */
    public CompletableFuture<List<Observation>> list() {
        if (keys.hasFolder()) {
            return client.range(keys.everything(), false).thenApply(all -> observations(all.found()));
        }
        return client.range(keys.terms(), false).thenCompose(terms -> {
            List<CompletableFuture<Observation>> all = terms.found().stream()
                    .flatMap(term -> keys.electionOfTerm(term.key()).stream())
                    .map(this::read)
                    .toList();
            return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                    .thenApply(read -> all.stream().map(CompletableFuture::join).toList());
        });
    }

    private List<Observation> observations(List<KeyValue> found) {
        Map<ElectionName, KeyValue> heads = new HashMap<>();
        Map<ElectionName, TermRecord> terms = new HashMap<>();
        int era = 0;
        for (KeyValue stored : found) {
            if (stored.key().equals(keys.era())) {
                era = stored.era().era();
            }
            keys.electionOfTerm(stored.key())
                    .ifPresent(election -> stored.term().ifPresent(term -> terms.put(election, term)));
            keys.electionOfEntry(stored.key())
                    .ifPresent(election -> heads.merge(
                            election, stored, (one, two) -> one.createRevision() <= two.createRevision() ? one : two));
        }
        Set<ElectionName> elections = new TreeSet<>(heads.keySet());
        elections.addAll(terms.keySet());
        List<Observation> all = new ArrayList<>();
        for (ElectionName election : elections) {
            all.add(observation(
                    election, Optional.ofNullable(heads.get(election)), Optional.ofNullable(terms.get(election)), era));
        }
        return all;
    }

    // ---- the candidate at the front is the leader, whatever program it runs

    static FencingToken token(int era, long revision) {
        if (revision < 1 || revision > FencingToken.SEQUENCE_MAX) {
            throw BackendException.misconfigured(
                    "the revision of this etcd is " + revision + ": a token has room up to 2^48 only");
        }
        return FencingToken.of(era, revision);
    }

    /** @param era for heads without a recorded term: those of peers, and of candidates whose grant is still on its way */
    static Leader leader(ElectionName election, KeyValue head, Optional<TermRecord> term, int era) {
        Optional<TermRecord> its = term.filter(known -> known.token().sequence() == head.createRevision());
        FencingToken token = its.map(TermRecord::token).orElseGet(() -> token(era, head.createRevision()));
        Optional<EntryValue> claimed = EntryValue.of(head);
        return new Leader(
                election,
                claimed.map(EntryValue::holder).orElseGet(() -> shown(head)),
                token,
                its.map(TermRecord::since)
                        .or(() -> claimed.map(EntryValue::since))
                        .orElse(Instant.EPOCH),
                claimed.map(EntryValue::metadata).orElse(LeaderMetadata.EMPTY),
                foreign(head, claimed));
    }

    /** A candidate of Tenure always has a lease. */
    private static Optional<Leader.Foreign> foreign(KeyValue head, Optional<EntryValue> claimed) {
        if (head.lease() == 0) {
            return Optional.of(new Leader.Foreign(true, StuckHolderDetector.remedy(head.key(), head.lease())));
        }
        return claimed.isPresent()
                ? Optional.empty()
                : Optional.of(new Leader.Foreign(
                        false, "stop its process, or: " + StuckHolderDetector.remedy(head.key(), head.lease())));
    }

    /** Others write what they like: it is shown without what could garble a terminal. */
    private static String shown(KeyValue head) {
        String start =
                head.value().substring(0, Math.min(SHOWN_MAX, head.value().length()));
        String value = start.replaceAll("[\\p{Cc}\\p{Cf}]", " ").strip();
        return value.isEmpty() ? head.key() : value;
    }

    private static Observation observation(
            ElectionName election, Optional<KeyValue> head, Optional<TermRecord> term, int era) {
        Optional<Leader> leader = head.map(first -> leader(election, first, term, era));
        long lastTerm = term.map(known -> known.token().value()).orElse(0L);
        long now = leader.map(known -> known.token().value()).orElse(0L);
        return new Observation(election, leader, Math.max(lastTerm, now));
    }
}
