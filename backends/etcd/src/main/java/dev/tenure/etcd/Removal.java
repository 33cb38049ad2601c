package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Message;
import dev.tenure.spi.support.TermRecord;
import java.util.Optional;

/**
 * Takes one entry away, and no other: it is named by the revision that created it. If it held a term, the term is recorded
 * as released in the same step.
 */
record Removal(Place place, long revision, Optional<TermRecord> term) {
    Message operation() {
        Txn txn = new Txn().ifCreated(place.key(), revision).then(Txn.delete(place.key()));
        term.ifPresent(held -> txn.then(Txn.put(place.termKey(), TermText.of(held.released()))));
        return txn.inside();
    }
}
