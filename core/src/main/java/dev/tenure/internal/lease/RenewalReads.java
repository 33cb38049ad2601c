// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.RenewalReader.Wanted;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What a renewal reads along, where the store can, and what follows from it. Do the claims of this session stand as it has written
 * them? Is there a request for one of them? Have those changed that it waits for, and do their holders still renew? So an idle
 * session asks for none of this by itself. Loop-confined.
 *
 * <p>What was read is a hint only: the code that acts on it reads again.
 */
final class RenewalReads {
    /** In one renewal. If more claims are held, they take turns; if more are waited for, {@link ClaimChanges} looks after them. */
    static final int CLAIMS_MAX = 8;

    private static final int BEATS_PER_LOOK = 2;
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final LeaseSession.Context context;
    private final ExpiryTimers timers;
    private final ClaimChanges changes;
    private final SessionEvents events;
    private final long ttlNanos;
    private boolean closed;

    /** @param held the versions of claims, as they were known when the renewal was sent */
    record ReadRequest(Wanted wanted, Map<ElectionName, String> held) {}

    RenewalReads(
            LeaseSession.Context context,
            ExpiryTimers timers,
            ClaimChanges changes,
            SessionEvents events,
            long ttlNanos) {
        this.context = context;
        this.timers = timers;
        this.changes = changes;
        this.events = events;
        this.ttlNanos = ttlNanos;
    }

    /** @param written what is held, in an order that begins with what was looked at least lately */
    ReadRequest next(Map<ElectionName, LeaseSession.Written> written) {
        if (!context.store().readsWithRenewals()) {
            return new ReadRequest(Wanted.NOTHING, Map.of());
        }
        Map<ElectionName, String> held = new HashMap<>();
        Set<String> keys = new HashSet<>();
        Set<String> prefixes = new HashSet<>();
        for (ElectionName election : written.keySet().stream().limit(CLAIMS_MAX).toList()) {
            LeaseSession.Written claim = Objects.requireNonNull(written.remove(election));
            written.put(election, claim);
            held.put(election, claim.version());
            keys.add(ClaimRecord.key(election));
            keys.add(RequestRecord.key(election));
        }
        if (written.size() > CLAIMS_MAX) {
            prefixes.add(RequestRecord.PREFIX);
        }
        if (timers.elections().size() <= CLAIMS_MAX) {
            timers.elections().forEach(election -> keys.add(ClaimRecord.key(election)));
        }
        Set<String> holders = timers.sessions();
        if (holders.size() <= CLAIMS_MAX) {
            holders.forEach(session -> keys.add(SessionRecord.key(session)));
        }
        if (!holders.isEmpty() && context.peers().listsWithRenewal(ttlNanos)) {
            prefixes.add(SessionRecord.PREFIX);
        }
        return new ReadRequest(new Wanted(keys, prefixes), held);
    }

    /** The renewal was applied. */
    void seen(ReadRequest request, List<Versioned> records, Map<ElectionName, LeaseSession.Written> written) {
        if (closed || records.isEmpty()) {
            return;
        }
        if (request.wanted.prefixes().contains(SessionRecord.PREFIX)) {
            context.peers()
                    .judgeAll(records.stream()
                            .filter(record -> record.isPresent() && isOf(record, SessionRecord.PREFIX))
                            .toList());
        }
        for (Versioned record : records) {
            if (isOf(record, SessionRecord.PREFIX)) {
                seenSession(record);
            } else if (isOf(record, ClaimRecord.PREFIX)) {
                LeaseBackend.electionOf(record.key(), ClaimRecord.PREFIX)
                        .ifPresent(election -> seenClaim(election, record, request, written));
            } else if (record.isPresent()) {
                seenRequest(record);
            }
        }
    }

    private static boolean isOf(Versioned record, String prefix) {
        return record.key().startsWith(prefix);
    }

    /**
     * Requests are made of those that hold. Where no renewal reads them, they are read now and then; where the store notifies,
     * only a lost notification has to be made up for.
     */
    void renewed(long beat, boolean holds) {
        LoopStore store = context.store();
        if (holds && !store.readsWithRenewals() && (!store.notifies() || beat % BEATS_PER_LOOK == 0)) {
            lookForRequests();
        }
    }

    void lookForRequests() {
        if (!closed) {
            Stages.ignore(
                    "looking for requests",
                    context.store().list(RequestRecord.PREFIX).thenAccept(found -> {
                        if (!closed) {
                            found.forEach(this::seenRequest);
                        }
                    }));
        }
    }

    /** One damaged request must not hide the others. */
    private void seenRequest(Versioned stored) {
        try {
            events.requested(RequestRecord.of(stored));
        } catch (BackendException corrupt) {
            LOG.log(Level.WARNING, corrupt.getMessage());
        }
    }

    void close() {
        closed = true;
    }

    /** One that is silent has its time, and is found when that is over. */
    private void seenSession(Versioned record) {
        String session = SessionRecord.idOf(record);
        List<ElectionName> waiting = timers.waitingFor(session);
        if (waiting.isEmpty()) {
            return;
        }
        try {
            PeerSessions.Verdict verdict = context.peers().judge(session, record);
            if (verdict instanceof PeerSessions.Verdict.Evicted || verdict instanceof PeerSessions.Verdict.Vanished) {
                waiting.forEach(events::changed);
            }
        } catch (BackendException corrupt) {
            waiting.forEach(events::changed);
        }
    }

    private void seenClaim(
            ElectionName election,
            Versioned record,
            ReadRequest request,
            Map<ElectionName, LeaseSession.Written> written) {
        Optional<String> sent = Optional.ofNullable(request.held.get(election));
        Optional<String> now = Optional.ofNullable(written.get(election)).map(LeaseSession.Written::version);
        if (now.isPresent() && now.equals(sent) && now.equals(record.version())) {
            return;
        }
        Optional<ExpiryTimers.Holder> holder = timers.holderOf(election);
        boolean asExpected = now.isEmpty() ? holder.isEmpty() || changes.isAwaited(election) : !now.equals(sent);
        try {
            Optional<ClaimRecord> claim =
                    record.isPresent() ? Optional.of(context.tokens().read(record)) : Optional.empty();
            claim.filter(stands -> stands.token() > 0)
                    .ifPresent(stands -> events.tokenObserved(election, stands.token()));
            asExpected |= claim.isPresent() && holder.filter(claim.get()::isOf).isPresent();
        } catch (BackendException corrupt) {
            asExpected = false;
        }
        if (!asExpected) {
            events.changed(election);
        }
    }
}
