package dev.tenure.zookeeper;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.Op;

/**
 * Writes down the terms that began, beside and not before them: a grant does not wait for it. One write is under way at a
 * time, and what gathers meanwhile goes together in the next, so that ten thousand grants cost a few dozen writes.
 * Loop-confined.
 */
final class TermLedger {
    private static final int BATCH_MAX = 200;
    private static final int ANY_VERSION = -1;

    private final Calls calls;
    private final Map<String, byte[]> pending = new LinkedHashMap<>();
    private final Map<String, byte[]> underWay = new LinkedHashMap<>();
    private boolean writing;

    TermLedger(Calls calls) {
        this.calls = calls;
    }

    void began(String election, LastTerm term) {
        pending.put(election, term.data());
        if (!writing) {
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
