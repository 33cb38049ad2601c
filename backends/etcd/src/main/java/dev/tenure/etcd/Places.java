package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What one session has in all elections. Each waits for the entry just before its own, so a departure wakes one candidate,
 * not all. Loop-confined.
 */
final class Places {
    private final Courier courier;
    private final Notices notices;
    private final Host host;
    private final Keys keys;
    private final Lease lease;
    private final SessionEvents events;
    private final StuckHolders stuck;
    private final Quiet quiet;
    private final Map<ElectionName, Place> places = new HashMap<>();
    private final Map<String, Queued> awaited = new HashMap<>();
    /** What the keys of all my entries end with. */
    private final String suffix;

    private final List<Claim> unrecorded = new ArrayList<>();
    private boolean open = true;

    /** @param sinceRevision at which the entry before it was seen */
    private record Queued(Place place, ClaimRequest request, long sinceRevision) {}

    Places(EtcdBackend.Place store, Courier courier, Lease lease, Quiet quiet, SessionEvents events) {
        this.courier = courier;
        this.notices = store.notices();
        this.host = store.host();
        this.keys = store.keys();
        this.lease = lease;
        this.stuck = new StuckHolders(store.gateway(), host, lease, events);
        this.events = events;
        this.quiet = quiet;
        this.suffix = "/" + Keys.hex(lease.id());
    }

    Courier courier() {
        return courier;
    }

    Lease lease() {
        return lease;
    }

    Instant now() {
        return Instant.ofEpochMilli(host.wallMillis());
    }

    /** What is to be written down of a term that this session leads. */
    TermRecord led(FencingToken token, Nonce nonce) {
        return new TermRecord(token, true, nonce.toString(), lease.ttl(), now());
    }

    boolean isOpen() {
        return open;
    }

    void close() {
        open = false;
        awaited.clear();
    }

    /** This claim was granted, but its record was not confirmed. */
    void unrecorded(Claim claim) {
        unrecorded.add(claim);
    }

    void recordAgain() {
        List<Claim> again = List.copyOf(unrecorded);
        unrecorded.clear();
        again.stream().filter(Claim::isWanted).forEach(Claim::record);
    }

    /** Has one of its own steps changed the store? */
    void wroteIf(boolean applied, long revision) {
        if (applied) {
            quiet.wrote(revision);
        }
    }

    void seen(ElectionName election, long token) {
        events.seen(election, token);
    }

    CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        keys.election(request.election()); // refuses a name that has no place of its own
        Place place = places.computeIfAbsent(request.election(), name -> new Place(keys, name, lease.id()));
        place.order().claims(request.nonce());
        return new Claim(this, place, request, place.order().nextCall()).ask();
    }

    CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        Place place = places.get(election);
        if (place == null || !place.order().knows(nonce)) {
            return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
        }
        if (place.order().isNewest(nonce)) {
            awaited.remove(place.awaited());
        }
        return new Release(this, place, nonce).ask();
    }

    /** As far as this session knows. */
    boolean holds(Term term) {
        Place place = places.get(term.election());
        return place != null
                && place.standing(term.nonce())
                        .flatMap(Place.Standing::grant)
                        .filter(grant -> grant.token().equals(term.token()))
                        .isPresent();
    }

    void forgetIfEmpty(Place place) {
        if (place.isForgettable()) {
            places.remove(place.election(), place);
        }
    }

    /** The entry before this one was seen at this revision; its departure is the next thing to hear of. */
    void await(Place place, ClaimRequest request, KeyValue entry, long revision) {
        String predecessor = entry.key();
        stuck.waitsFor(place.election(), entry);
        awaited.remove(place.awaited());
        place.await(predecessor);
        Queued queued = new Queued(place, request, revision);
        if (notices.mayHaveGone(predecessor, revision)) {
            prove(queued);
        } else {
            awaited.put(predecessor, queued);
        }
    }

    /** It has come to the front; if nobody had said that the one before it is gone, the notices are suspect. */
    void noticed(Place place, long revision) {
        if (awaited.remove(place.awaited()) != null) {
            notices.suspect(revision);
        }
    }

    void deafUntil(long revision) {
        List<Queued> perhapsFree = new ArrayList<>(awaited.values());
        for (Queued queued : perhapsFree) {
            if (queued.sinceRevision() < revision) {
                awaited.remove(queued.place().awaited());
                prove(queued);
            }
        }
    }

    void deleted(Map<String, Long> revisions) {
        revisions.forEach((key, revision) -> {
            Queued queued = awaited.remove(key);
            if (queued != null) {
                prove(queued);
            }
            if (key.endsWith(suffix)) {
                keys.electionOfEntry(key).map(places::get).ifPresent(own -> ownDeleted(own, revision));
            }
        });
    }

    private void ownDeleted(Place place, long revision) {
        place.standing().filter(entry -> entry.revision() < revision).ifPresent(entry -> {
            place.gone();
            events.changed(place.election());
        });
    }

    /** Nobody waits for the answer: a grant is pushed, and what goes wrong is left to the engine's poll. */
    private void prove(Queued queued) {
        Place place = queued.place();
        boolean stands = place.standing(queued.request().nonce()).isPresent();
        if (!open || !stands) {
            return;
        }
        CompletableFuture<ClaimReply> answer =
                new Claim(this, place, queued.request(), place.order().newestCall()).take();
        Stages.follow(
                answer,
                reply -> {
                    if (reply instanceof ClaimReply.Granted grant && open) {
                        events.granted(place.election(), grant);
                    }
                },
                failure -> {});
    }
}
