package dev.tenure.etcd;

import dev.tenure.Nonce;
import dev.tenure.etcd.grpc.Message;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One release on its way. Where every claim of the session in this election was answered, it is one conditional deletion.
 * Where one may still be under way, the session's guard is moved first: after that it cannot be applied any more, and what
 * stands in the store is all that there will be. Loop-confined.
 */
final class Release {
    private final Places places;
    private final Place place;
    private final Nonce nonce;
    private final long call;
    private final CompletableFuture<ReleaseReply> answer = new CompletableFuture<>();

    Release(Places places, Place place, Nonce nonce) {
        this.places = places;
        this.place = place;
        this.nonce = nonce;
        // A release that comes late, for an attempt before the newest, must not stop the newest one.
        this.call = place.order().isNewest(nonce)
                ? place.order().nextCall()
                : place.order().newestCall();
    }

    CompletableFuture<ReleaseReply> ask() {
        Optional<Long> doubted = place.order().open().values().stream().max(Long::compare);
        if (doubted.isPresent()) {
            Stages.follow(
                    places.courier().moveGuardBeyond(doubted.get()),
                    now -> {
                        place.order().settledIf((claim, sentUnder) -> sentUnder < now.guardRevision());
                        places.courier().send(new Look());
                    },
                    answer::completeExceptionally);
            return answer;
        }
        Optional<Place.Standing> mine =
                place.standing().filter(entry -> place.order().isUpTo(entry.nonce(), nonce));
        if (mine.isEmpty()) {
            done(ReleaseReply.NOT_HELD);
        } else {
            Optional<TermRecord> term = mine.get().grant().map(grant -> places.led(grant.token(), grant.nonce()));
            places.courier().send(new Remove(new Removal(place, mine.get().revision(), term)));
        }
        return answer;
    }

    private void done(ReleaseReply reply) {
        places.forgetIfEmpty(place);
        answer.complete(reply);
    }

    private abstract class Part implements Courier.Step {
        @Override
        public boolean isWanted() {
            return places.isOpen() && place.order().newestCall() == call;
        }

        @Override
        public Object subject() {
            return place;
        }

        @Override
        public void sent(Standpoint at) {}

        @Override
        public void failed(BackendException failure) {
            answer.completeExceptionally(failure);
        }
    }

    private final class Look extends Part {
        @Override
        public Message operation(Standpoint at) {
            return new Txn()
                    .then(Txn.get(place.key()), Txn.get(place.termKey()))
                    .inside();
        }

        @Override
        public void answered(TxnReply reply, Standpoint at, long revision) {
            Optional<KeyValue> own = reply.part(0).first();
            if (own.isEmpty()) {
                place.gone();
            }
            Optional<KeyValue> mine = own.filter(entry -> ClaimText.of(entry)
                    .filter(claim -> !place.order().isUpTo(claim.nonce(), nonce))
                    .isEmpty());
            if (mine.isEmpty()) {
                done(ReleaseReply.NOT_HELD);
                return;
            }
            long created = mine.get().createRevision();
            Optional<TermRecord> term = reply.part(1)
                    .first()
                    .flatMap(TermText::find)
                    .filter(last -> last.held() && last.token().sequence() == created);
            places.courier().send(new Remove(new Removal(place, created, term)));
        }
    }

    private final class Remove extends Part {
        private final Removal removal;

        Remove(Removal removal) {
            this.removal = removal;
        }

        @Override
        public Message operation(Standpoint at) {
            return removal.operation();
        }

        @Override
        public void answered(TxnReply reply, Standpoint at, long revision) {
            place.standing()
                    .filter(entry -> entry.revision() <= removal.revision())
                    .ifPresent(entry -> place.gone());
            places.wroteIf(reply.succeeded(), revision);
            done(reply.succeeded() ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD);
        }
    }

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
}
