package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.etcd.grpc.Message;
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
final class Looks {
    private static final int PAGE = 2000;

    private final Gateway gateway;
    private final Keys keys;

    Looks(Gateway gateway, Keys keys) {
        this.gateway = gateway;
        this.keys = keys;
    }

    CompletableFuture<Observation> read(ElectionName election) {
        Txn txn = new Txn().then(Txn.first(keys.election(election)), Txn.get(keys.term(election)), Txn.get(keys.era()));
        return gateway.txn(txn)
                .thenApply(found -> Heads.observation(
                        election,
                        found.part(0).first(),
                        found.part(1).first().flatMap(TermText::find),
                        era(found.part(2).first())));
    }

    private static int era(Optional<KeyValue> stored) {
        return stored.map(known -> known.era().era()).orElse(0);
    }

    /** With a folder, everything in it is read at one revision; without one, only elections with a recorded term are found. */
    CompletableFuture<List<Observation>> list() {
        if (keys.hasFolder()) {
            return page(keys.everything(), 0, new ArrayList<>()).thenApply(this::observations);
        }
        return page(keys.terms(), 0, new ArrayList<>()).thenCompose(terms -> {
            CompletableFuture<List<Observation>> all = CompletableFuture.completedFuture(new ArrayList<>());
            for (KeyValue term : terms) {
                Optional<ElectionName> election = keys.electionOfTerm(term.key());
                if (election.isPresent()) {
                    all = all.thenCombine(read(election.get()), Looks::with);
                }
            }
            return all;
        });
    }

    private static <T> List<T> with(List<T> some, T one) {
        some.add(one);
        return some;
    }

    private CompletableFuture<List<KeyValue>> page(KeyRange range, long revision, List<KeyValue> found) {
        Message request = range.request().number(3, PAGE).number(4, revision).done();
        return gateway.call(Method.RANGE, request).thenCompose(reply -> {
            List<KeyValue> some = KeyValue.inRange(reply);
            found.addAll(some);
            if (!reply.flag(3) || some.isEmpty()) {
                return CompletableFuture.completedFuture(found);
            }
            long at = revision > 0 ? revision : Moment.of(reply).revision();
            String after = some.get(some.size() - 1).key() + '\0';
            return page(new KeyRange(after, range.to()), at, found);
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
                    .ifPresent(election -> TermText.find(stored).ifPresent(term -> terms.put(election, term)));
            keys.electionOfEntry(stored.key())
                    .ifPresent(election -> heads.merge(
                            election, stored, (one, two) -> one.createRevision() <= two.createRevision() ? one : two));
        }
        Set<ElectionName> elections = new TreeSet<>(heads.keySet());
        elections.addAll(terms.keySet());
        List<Observation> all = new ArrayList<>();
        for (ElectionName election : elections) {
            all.add(Heads.observation(
                    election, Optional.ofNullable(heads.get(election)), Optional.ofNullable(terms.get(election)), era));
        }
        return all;
    }
}
