package dev.tenure.etcd.claim;

import dev.tenure.ElectionName;
import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.Operation;
import dev.tenure.etcd.client.Txn;
import dev.tenure.spi.Observation;
import dev.tenure.spi.support.TermRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Linearizable looks at elections, for those who do not stand in them. */
public final class ElectionScanner {
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
                .thenApply(found -> LeaderResolver.observation(
                        election, found.first(0), found.first(1).flatMap(TermCodec::find), era(found.first(2))));
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
            CompletableFuture<List<Observation>> all = CompletableFuture.completedFuture(new ArrayList<>());
            for (KeyValue term : terms.found()) {
                Optional<ElectionName> election = keys.electionOfTerm(term.key());
                if (election.isPresent()) {
                    all = all.thenCombine(read(election.get()), ElectionScanner::with);
                }
            }
            return all;
        });
    }

    private static <T> List<T> with(List<T> some, T one) {
        some.add(one);
        return some;
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
                    .ifPresent(election -> TermCodec.find(stored).ifPresent(term -> terms.put(election, term)));
            keys.electionOfEntry(stored.key())
                    .ifPresent(election -> heads.merge(
                            election, stored, (one, two) -> one.createRevision() <= two.createRevision() ? one : two));
        }
        Set<ElectionName> elections = new TreeSet<>(heads.keySet());
        elections.addAll(terms.keySet());
        List<Observation> all = new ArrayList<>();
        for (ElectionName election : elections) {
            all.add(LeaderResolver.observation(
                    election, Optional.ofNullable(heads.get(election)), Optional.ofNullable(terms.get(election)), era));
        }
        return all;
    }
}
