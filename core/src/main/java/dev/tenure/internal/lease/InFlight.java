package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.spi.Versioned;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The claims of a session whose outcome is not known yet, or never became known. A conditional write can be applied late,
 * but only while the version that it expects still stands: this remembers which versions those are.
 */
final class InFlight {
    private final Map<ElectionName, List<Sent>> sent = new HashMap<>();

    /** One write; compared by identity. */
    static final class Sent {
        private final Optional<String> expected;

        private Sent(Optional<String> expected) {
            this.expected = expected;
        }
    }

    Sent send(ElectionName election, Versioned expected) {
        Sent write = new Sent(expected.version());
        sent.computeIfAbsent(election, any -> new ArrayList<>(1)).add(write);
        return write;
    }

    void settled(ElectionName election, Sent write) {
        List<Sent> open = sent.get(election);
        if (open != null && open.remove(write) && open.isEmpty()) {
            sent.remove(election);
        }
    }

    /** Forgets the writes that this sight of the record proves dead; true if one may still be applied. */
    boolean mayStillLand(ElectionName election, Versioned found) {
        List<Sent> open = sent.get(election);
        if (open == null) {
            return false;
        }
        open.removeIf(write -> !write.expected.equals(found.version()));
        if (open.isEmpty()) {
            sent.remove(election);
        }
        return !open.isEmpty();
    }
}
