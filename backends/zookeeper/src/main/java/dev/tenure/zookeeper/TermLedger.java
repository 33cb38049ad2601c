package dev.tenure.zookeeper;

import dev.tenure.spi.Host;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.Op;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Writes down the terms that began, beside and not before them: a grant does not wait for it. One write is under way at a
 * time, and what gathers meanwhile goes together in the next, so that ten thousand grants cost a few dozen writes.
 * Loop-confined.
 *
 * <p>Every note is written only if the latch of its term still stands. So a term that has ended is never written over what
 * came after it, and one whose latch somebody removed in the moment of its election is told by a quorum.
 */
final class TermLedger {
    private static final int BATCH_MAX = 128;
    private static final int ANY_VERSION = -1;

    /** Who was just elected begins to work first. */
    private static final long AFTER_GRANT_NANOS = Duration.ofMillis(3).toNanos();

    private static final long PATIENCE_NANOS = Duration.ofMillis(50).toNanos();
    private static final int WAITS_MAX = 40;

    private final Calls calls;
    private final Host host;
    private final BooleanSupplier busy;
    private final Queue<Begun> pending = new ArrayDeque<>();
    private boolean writing;

    /** @param busy while others are waiting for their turn */
    TermLedger(Calls calls, Host host, BooleanSupplier busy) {
        this.calls = calls;
        this.host = host;
        this.busy = busy;
    }

    /** A term that began. Asked only when it is written: there may be very many that wait for it. */
    interface Begun {
        /** Empty if it is over: who ended it writes that down. */
        Optional<Note> note();

        /** Its latch does not stand any more. */
        void missed();
    }

    record Note(String election, String latch, TermRecord term) {
        private List<Op> writes() {
            return List.of(Op.check(latch, ANY_VERSION), Op.setData(election, Nodes.bytes(term.text()), ANY_VERSION));
        }
    }

    private record Entry(Begun begun, Note note) {}

    void began(Begun term) {
        pending.add(term);
        if (!writing) {
            writing = true;
            host.wakeAt(host.nanos() + AFTER_GRANT_NANOS, () -> writeWhenQuiet(WAITS_MAX));
        }
    }

    /** Whoever takes over thousands of elections first takes them all, for two seconds at most. */
    private void writeWhenQuiet(int waits) {
        if (busy.getAsBoolean() && waits > 0) {
            host.wakeAt(host.nanos() + PATIENCE_NANOS, () -> writeWhenQuiet(waits - 1));
        } else {
            writeNext();
        }
    }

    private void writeNext() {
        List<Entry> entries = new ArrayList<>();
        while (!pending.isEmpty() && entries.size() < BATCH_MAX) {
            Begun begun = pending.remove();
            begun.note().ifPresent(note -> entries.add(new Entry(begun, note)));
        }
        writing = !entries.isEmpty();
        if (writing) {
            Stages.ignore("a call that nobody waits for", write(entries).whenComplete((done, failure) -> {
                if (failure != null) {
                    notWritten(entries, failure);
                }
                writeNext();
            }));
        }
    }

    private CompletableFuture<?> write(List<Entry> entries) {
        List<Op> writes = new ArrayList<>();
        entries.forEach(entry -> writes.addAll(entry.note.writes()));
        return calls.writeTogether("the elections", writes);
    }

    /** One that is refused (its election was removed, say) must not keep the others from being written. */
    private void notWritten(List<Entry> entries, Throwable failure) {
        if (entries.size() > 1) {
            for (Entry entry : entries) {
                entry.begun.note().ifPresent(again -> {
                    List<Entry> alone = List.of(new Entry(entry.begun, again));
                    Stages.ignore("a call that nobody waits for", write(alone).whenComplete((done, refusal) -> {
                        if (refusal != null) {
                            notWritten(alone, refusal);
                        }
                    }));
                });
            }
        } else if (StoreFailure.is(failure, Code.NONODE) && StoreFailure.isAbout(failure, entries.get(0).note.latch)) {
            entries.get(0).begun.missed();
        }
    }
}
