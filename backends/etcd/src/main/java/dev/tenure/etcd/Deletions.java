package dev.tenure.etcd;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The last deletions that were told. The answer that names whom to wait for, and the word that this one has gone, travel on
 * different connections: the word may arrive first. Bounded; what was forgotten counts as "perhaps".
 */
final class Deletions {
    private static final int REMEMBERED_MAX = 4096;

    private final Map<String, Long> revisions = new LinkedHashMap<>();
    private long forgottenUpTo;

    /** Nothing is known up to this revision. */
    void beginAt(long revision) {
        revisions.clear();
        forgottenUpTo = revision;
    }

    void add(String key, long revision) {
        revisions.remove(key);
        revisions.put(key, revision);
        if (revisions.size() > REMEMBERED_MAX) {
            String oldest = revisions.keySet().iterator().next();
            forgottenUpTo = Math.max(forgottenUpTo, revisions.getOrDefault(oldest, 0L));
            revisions.remove(oldest);
        }
    }

    /** May a key that was there at this revision be gone without a further word? */
    boolean mayHold(String key, long sinceRevision) {
        return forgottenUpTo > sinceRevision || revisions.getOrDefault(key, 0L) > sinceRevision;
    }
}
