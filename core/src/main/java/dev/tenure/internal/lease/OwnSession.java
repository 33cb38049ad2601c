// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.RenewalReader.Wanted;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The record of this session: renewed with every beat, and read with every claim. A session whose record is gone
 * carries nothing, because a candidate that finds its claim takes it over at once. Loop-confined.
 */
final class OwnSession {
    private static final int BEAT_ROUNDS_MAX = 2;
    private static final int LOOKS_PER_TTL = 20;

    private final LoopStore store;
    private final Host host;
    private final Consumer<String> lost;
    private SessionRecord record;
    private Versioned stored;
    private CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);
    /** A read that is under way was sent too early for the callers that ask now: those share the one after it. */
    private Optional<CompletableFuture<Void>> unsent = Optional.empty();

    private long sentNanos;

    OwnSession(LoopStore store, Host host, SessionRecord record, Versioned stored, Consumer<String> lost) {
        this.store = store;
        this.host = host;
        this.record = record;
        this.stored = stored;
        this.lost = lost;
    }

    SessionRecord content() {
        return record;
    }

    /**
     * @param standing the elections that it stands in
     * @param wanted what is read along
     * @param read notified of it before the renewal is known to be applied
     */
    CompletableFuture<RenewReply> beat(
            Collection<ElectionName> standing, Wanted wanted, Consumer<List<Versioned>> read) {
        record = record.next(standing);
        return beat(BEAT_ROUNDS_MAX, wanted, read);
    }

    /**
     * A beat whose reply was lost may have been applied. Then the record has moved on, but by my own hand: no other process
     * writes an OPEN record of this id. So the beat is written again on top of it.
     */
    private CompletableFuture<RenewReply> beat(int rounds, Wanted wanted, Consumer<List<Versioned>> read) {
        SessionRecord sent = record;
        Versioned known = stored;
        return store.renew(stored, sent.text(), sent.ttl(), wanted).thenCompose(answer -> {
            if (answer.reply() instanceof WriteReply.Applied applied) {
                stored = applied.now();
                read.accept(answer.records());
                return CompletableFuture.completedFuture(new RenewReply.Renewed(sent.ttl()));
            }
            Versioned current = ((WriteReply.Refused) answer.reply()).current();
            Optional<String> why = whyLost(current, known);
            if (why.isPresent()) {
                return CompletableFuture.completedFuture(new RenewReply.Gone(why.get()));
            }
            stored = current;
            if (rounds > 1) {
                return beat(rounds - 1, wanted, read);
            }
            throw BackendException.unknown("the session record keeps changing under its own renewal");
        });
    }

    /** Fails if the record did not stand at a moment after this call; then the session is reported as lost, too. */
    CompletableFuture<Void> stands() {
        if (sent.isDone() || isOverdue()) {
            return look();
        }
        CompletableFuture<Void> shared =
                unsent.orElseGet(() -> sent.handle((stands, failure) -> true).thenCompose(over -> look()));
        unsent = Optional.of(shared);
        return shared;
    }

    /** An answer may be lost, and nobody must wait for it for ever. */
    private boolean isOverdue() {
        return host.nanos() - sentNanos >= record.ttl().toNanos() / LOOKS_PER_TTL;
    }

    private CompletableFuture<Void> look() {
        Versioned known = stored;
        sentNanos = host.nanos();
        unsent = Optional.empty();
        sent = store.read(SessionRecord.key(record.id()))
                .thenAccept(current -> whyLost(current, known).ifPresent(this::loseIt));
        return sent;
    }

    private void loseIt(String why) {
        lost.accept(why);
        throw BackendException.unreachable(why);
    }

    /**
     * A record that has moved back means that the store was restored, or that a standby took over which lacks the last
     * writes, and the claims may be lost with them. A process that went on would believe in terms that the store has
     * never received.
     *
     * @param known what was acknowledged before the store was asked
     */
    private static Optional<String> whyLost(Versioned current, Versioned known) {
        if (!current.isPresent()) {
            return Optional.of("its record was removed from the store");
        }
        SessionRecord now = SessionRecord.of(current);
        if (now.state() == SessionRecord.State.EVICTED) {
            return Optional.of("another candidate evicted it after it had been silent for its TTL");
        }
        if (now.beat() < SessionRecord.of(known).beat()) {
            return Optional.of("its record is older than one that was acknowledged: the store has lost writes");
        }
        return Optional.empty();
    }
}
