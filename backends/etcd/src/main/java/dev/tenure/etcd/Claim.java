package dev.tenure.etcd;

import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.etcd.grpc.Message;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.support.TermRecord;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One claim on its way: create an entry, or find the one that stands; then prove that it is at the front, or learn whom to
 * wait for. Loop-confined.
 *
 * <p>Granted is decided in the store, in one transaction: either the election was empty and my entry was created in it; or
 * my entry is the very one that I created (same create revision, same lease) and no entry in the election is older. Nobody
 * can come before it afterwards, because revisions only grow. The same transaction records the term.
 *
 * <p>An entry of an older attempt is never believed: it is removed, and a new one is created with a new revision. That takes
 * two transactions, since a store that sees a deletion and a creation of one key in one refuses it.
 */
final class Claim {
    private static final int ROUNDS_MAX = 4;

    private final Places places;
    private final Place place;
    private final ClaimRequest request;
    private final long call;
    private final CompletableFuture<ClaimReply> answer = new CompletableFuture<>();
    private int roundsLeft = ROUNDS_MAX;

    Claim(Places places, Place place, ClaimRequest request, long call) {
        this.places = places;
        this.place = place;
        this.request = request;
        this.call = call;
    }

    /** Asks; an entry of this very attempt keeps its place. */
    CompletableFuture<ClaimReply> ask() {
        if (place.standing(request.nonce()).isPresent()) {
            places.courier().send(new Prove(place.standing(request.nonce()).get()));
        } else {
            places.courier().send(new Create());
        }
        return answer;
    }

    private Nonce nonce() {
        return request.nonce();
    }

    /** The one before my entry was said to have gone. */
    CompletableFuture<ClaimReply> take() {
        record();
        return answer;
    }

    /** Records the term, after it was proved. */
    void record() {
        place.standing(nonce()).ifPresent(mine -> new Turn(this, places, mine).ask());
    }

    Place place() {
        return place;
    }

    boolean isWanted() {
        return places.isOpen() && place.order().newestCall() == call;
    }

    void fail(BackendException failure) {
        answer.completeExceptionally(failure);
    }

    boolean isAnswered() {
        return answer.isDone();
    }

    /** What this very attempt was granted. */
    Optional<ClaimReply.Granted> granted() {
        return place.standing(nonce()).flatMap(Place.Standing::grant);
    }

    void prove(Place.Standing standing) {
        next(new Prove(standing));
    }

    /** The very entry that I have created is there, on my lease, and there is none before it. */
    Txn ifFirst(Place.Standing standing) {
        return new Txn()
                .ifCreated(place.key(), standing.revision())
                .ifLease(place.key(), places.lease().id())
                .ifNoneBefore(place.range(), standing.revision());
    }

    /** Into an empty election, or to the end of its queue, unless an entry of my session stands there already. */
    private final class Create extends ClaimStep {
        Create() {
            super(Claim.this);
        }

        @Override
        public Message operation(Standpoint at) {
            Message entry = Txn.put(
                    place.key(),
                    ClaimText.text(request, places.now()),
                    places.lease().id());
            String term = TermText.ofThisRevision(
                    at.era().era(), nonce(), places.lease().ttl(), places.now());
            Txn look = new Txn()
                    .ifEmpty(place.range())
                    .then(Txn.put(place.termKey(), term))
                    .otherwise(Txn.last(place.range()), Txn.first(place.range()), Txn.get(place.termKey()));
            Txn create = new Txn().ifCreated(place.key(), 0).then(entry).otherwise(Txn.get(place.key()));
            return new Txn().then(look.inside(), create.inside()).inside();
        }

        @Override
        public int bytes() {
            return 1024 + ClaimText.text(request, places.now()).length();
        }

        @Override
        public void sent(Standpoint at) {
            place.order().opened(this, at.guardRevision());
        }

        @Override
        public void failed(BackendException failure) {
            if (failure.effect() == Effect.NONE) {
                place.order().settled(this);
            }
            super.failed(failure);
        }

        @Override
        public void answered(TxnReply reply, Standpoint at, long revision) {
            place.order().settled(this);
            super.answered(reply, at, revision);
        }

        @Override
        void applied(TxnReply reply, Standpoint at, long revision) {
            TxnReply look = reply.part(0).txn();
            TxnReply create = reply.part(1).txn();
            places.wroteIf(look.succeeded() || create.succeeded(), revision);
            if (look.succeeded()) {
                place.stands(nonce(), revision, Optional.empty());
                grant(
                        Heads.token(at.era().era(), revision),
                        look.part(0).replaced().flatMap(TermText::find));
            } else if (create.succeeded()) {
                place.stands(nonce(), revision, Optional.empty());
                queue(look.part(0).first(), leader(look.part(1), look.part(2), at), revision);
            } else {
                KeyValue own = create.part(0).first().orElseThrow();
                meetOwn(own, look.part(2).first().flatMap(TermText::find));
            }
        }

        private void meetOwn(KeyValue own, Optional<TermRecord> term) {
            Optional<Nonce> standing = ClaimText.of(own).map(ClaimText::nonce);
            if (!standing.equals(Optional.of(nonce()))) {
                Optional<TermRecord> mine =
                        term.filter(known -> known.held() && known.token().sequence() == own.createRevision());
                next(new Remove(own.createRevision(), mine));
                return;
            }
            Optional<ClaimReply.Granted> known = term.filter(
                            last -> last.owner().equals(nonce().toString())
                                    && last.token().sequence() == own.createRevision())
                    .map(last -> granted(last.token(), Optional.of(last)));
            place.stands(nonce(), own.createRevision(), known);
            prove(place.standing(nonce()).orElseThrow());
        }
    }

    /** Takes away what an older attempt has left. */
    private final class Remove extends ClaimStep {
        private final Release.Removal removal;

        Remove(long revision, Optional<TermRecord> term) {
            super(Claim.this);
            this.removal = new Release.Removal(place, revision, term);
        }

        @Override
        public Message operation(Standpoint at) {
            return removal.operation();
        }

        @Override
        void applied(TxnReply reply, Standpoint at, long revision) {
            places.wroteIf(reply.succeeded(), revision);
            place.gone();
            next(new Create());
        }
    }

    /** My own entry, read and compared in one step with everything before it. */
    private final class Prove extends ClaimStep {
        private final Place.Standing standing;

        Prove(Place.Standing standing) {
            super(Claim.this);
            this.standing = standing;
        }

        @Override
        public Message operation(Standpoint at) {
            Txn txn = ifFirst(standing)
                    .otherwise(
                            Txn.get(place.key()),
                            Txn.lastBefore(place.range(), standing.revision()),
                            Txn.first(place.range()),
                            Txn.get(place.termKey()));
            if (granted().isEmpty()) {
                TermRecord term = places.led(Heads.token(at.era().era(), standing.revision()), nonce());
                txn.then(Txn.put(place.termKey(), TermText.of(term)));
            }
            return txn.inside();
        }

        @Override
        void applied(TxnReply reply, Standpoint at, long revision) {
            if (reply.succeeded()) {
                if (granted().isPresent()) {
                    answer.complete(granted().get());
                    return;
                }
                places.noticed(place, revision);
                if (reply.isEmpty()) {
                    prove(standing); // what was granted when it was sent has been forgotten since
                } else {
                    places.wroteIf(true, revision);
                    grant(
                            Heads.token(at.era().era(), standing.revision()),
                            reply.part(0).replaced().flatMap(TermText::find));
                }
                return;
            }
            boolean stands = reply.part(0)
                    .first()
                    .filter(own -> own.createRevision() == standing.revision())
                    .isPresent();
            if (stands) {
                queue(reply.part(1).first(), leader(reply.part(2), reply.part(3), at), revision);
            } else {
                place.gone(); // somebody has removed it
                next(new Create());
            }
        }
    }

    private void next(Courier.Step step) {
        if (--roundsLeft > 0) {
            places.courier().send(step);
        } else {
            answer.completeExceptionally(new BackendException(
                    Effect.UNKNOWN,
                    Kind.UNREACHABLE,
                    "the entry in " + place.election() + " keeps changing under its own claim"));
        }
    }

    private Optional<Leader> leader(TxnReply.Part first, TxnReply.Part term, Standpoint at) {
        Optional<TermRecord> last = term.first().flatMap(TermText::find);
        last.ifPresent(known -> places.seen(place.election(), known.token().value()));
        return first.first()
                .map(head -> Heads.leader(place.election(), head, last, at.era().era()));
    }

    void grant(FencingToken token, Optional<TermRecord> before) {
        before.ifPresent(term -> places.seen(place.election(), term.token().value()));
        ClaimReply.Granted grant = granted(token, before);
        place.stands(nonce(), token.sequence(), Optional.of(grant));
        answer.complete(grant);
    }

    /** Who left without a word may believe for its TTL; so may, for all we know, a term of this nonce whose answer was lost. */
    private ClaimReply.Granted granted(FencingToken token, Optional<TermRecord> before) {
        Optional<TermRecord> unclean = before.filter(TermRecord::held);
        return new ClaimReply.Granted(
                token,
                nonce(),
                unclean.isPresent(),
                unclean.map(TermRecord::ttl).orElse(Duration.ZERO));
    }

    private void queue(Optional<KeyValue> predecessor, Optional<Leader> holder, long revision) {
        predecessor.ifPresent(before -> places.await(place, request, before, revision));
        answer.complete(new ClaimReply.Waiting(holder, true));
    }
}
