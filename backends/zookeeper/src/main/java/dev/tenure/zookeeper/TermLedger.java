package dev.tenure.zookeeper;

import dev.tenure.spi.Host;
import dev.tenure.zookeeper.wire.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Writes down the terms that began, beside and not before them: a grant does not wait for it. One write is under way at a
 * time, and what gathers meanwhile goes together in the next, so that ten thousand grants cost a few dozen writes.
 * Loop-confined.
 */
final class TermLedger {
    private static final int BATCH_MAX = 200;
    private static final int ANY_VERSION = -1;

    private static final long PATIENCE_NANOS = Duration.ofMillis(50).toNanos();
    private static final int WAITS_MAX = 20;

    private final Calls calls;
    private final Host host;
    private final BooleanSupplier busy;
    private final Map<String, byte[]> pending = new LinkedHashMap<>();
    private final Map<String, byte[]> underWay = new LinkedHashMap<>();
    private boolean writing;

    /** @param busy while others are waiting for their turn */
    TermLedger(Calls calls, Host host, BooleanSupplier busy) {
        this.calls = calls;
        this.host = host;
        this.busy = busy;
    }

    void began(String election, LastTerm term) {
        pending.put(election, term.data());
        if (!writing) {
            writing = true;
            writeWhenQuiet(WAITS_MAX);
        }
    }

    /** Whoever takes over thousands of elections first takes them all, for a second at most. */
    private void writeWhenQuiet(int waits) {
        if (busy.getAsBoolean() && waits > 0) {
            host.wakeAt(host.nanos() + PATIENCE_NANOS, () -> writeWhenQuiet(waits - 1));
        } else {
            writeNext();
        }
    }

    /** The term is over, and whoever ended it writes that down: nothing older may come after it. */
    void forget(String election) {
        pending.remove(election);
        underWay.remove(election);
    }

    private void writeNext() {
        Iterator<Map.Entry<String, byte[]>> next = pending.entrySet().iterator();
        List<Op> writes = new ArrayList<>();
        while (next.hasNext() && writes.size() < BATCH_MAX) {
            Map.Entry<String, byte[]> entry = next.next();
            underWay.put(entry.getKey(), entry.getValue());
            writes.add(Op.setData(entry.getKey(), entry.getValue(), ANY_VERSION));
            next.remove();
        }
        writing = !writes.isEmpty();
        if (writing) {
            Aside.run(calls.writeTogether("the elections", writes).whenComplete((done, failure) -> {
                if (failure != null && writes.size() > 1) {
                    writeSingly();
                }
                underWay.clear();
                writeNext();
            }));
        }
    }

    /** One that is refused (its election was removed, say) must not keep the others from being written. */
    private void writeSingly() {
        underWay.forEach((election, data) -> Aside.run(calls.set(election, data)));
    }
}
