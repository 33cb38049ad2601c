package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Message;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import java.util.Optional;

/**
 * The entry before mine was said to have gone, so mine should be at the front now. Loop-confined.
 *
 * <p>A linearizable read of my own entry, its lease, and everything before it is the proof. It does not have to wait for the
 * store's log, and the transaction that records the term follows it. Not both at once: servers that write to their disks
 * answer no reads meanwhile. Where other steps are under way there is only the transaction, which proves the same: then the
 * number of requests counts, not the moment.
 *
 * <p>A record that was not confirmed is sent again with the next heartbeat. Should its holder's entry be taken away by force
 * before that, then who comes next does not know that it has to stand off.
 */
final class Turn extends ClaimStep {
    private final Claim claim;
    private final Places places;
    private final Place.Standing standing;

    Turn(Claim claim, Places places, Place.Standing standing) {
        super(claim);
        this.claim = claim;
        this.places = places;
        this.standing = standing;
    }

    void ask() {
        if (claim.isAnswered() || !places.courier().isIdle()) {
            places.courier().send(this);
            return;
        }
        int era = places.courier().era().era();
        Txn txn = claim.ifFirst(standing)
                .then(Txn.get(claim.place().key()), Txn.get(claim.place().termKey()));
        Stages.follow(
                places.courier().glance(txn),
                seen -> {
                    seen.ifPresent(found -> glanced(found, era));
                    places.courier().send(this);
                },
                failure -> places.courier().send(this));
    }

    private void glanced(TxnReply found, int era) {
        boolean mine = found.part(0)
                .first()
                .flatMap(ClaimText::of)
                .filter(entry -> entry.nonce().equals(standing.nonce()))
                .isPresent();
        if (mine && isWanted() && stands()) {
            claim.grant(
                    Heads.token(era, standing.revision()), found.part(1).first().flatMap(TermText::find));
        }
    }

    /** Has nobody said in the meantime that it was removed? */
    private boolean stands() {
        return claim.place()
                .standing(standing.nonce())
                .filter(now -> now.revision() == standing.revision())
                .isPresent();
    }

    @Override
    public Message operation(Standpoint at) {
        int era = claim.granted()
                .map(grant -> grant.token().era())
                .orElse(at.era().era());
        TermRecord term = places.led(Heads.token(era, standing.revision()), standing.nonce());
        return claim.ifFirst(standing)
                .then(Txn.put(claim.place().termKey(), TermText.of(term)))
                .inside();
    }

    @Override
    public void failed(BackendException failure) {
        if (claim.granted().isPresent()) {
            places.unrecorded(claim);
        }
        super.failed(failure);
    }

    @Override
    void applied(TxnReply reply, Standpoint at, long revision) {
        places.wroteIf(reply.succeeded(), revision);
        if (claim.isAnswered()) {
            return; // it was granted before, and now it is recorded; or its entry has gone since
        }
        if (reply.succeeded()) {
            Optional<TermRecord> before = reply.part(0).replaced().flatMap(TermText::find);
            claim.grant(Heads.token(at.era().era(), standing.revision()), before);
        } else {
            claim.prove(standing);
        }
    }
}
