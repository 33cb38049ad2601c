package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * In which order this session has claimed an election. A release gives up the claim of its nonce and what was tried before
 * it, and never a later one: a release that is repeated or late must not end the next term.
 */
final class Attempts {
    private static final int REMEMBERED_MAX = 64;

    private final Map<ElectionName, List<Nonce>> sent = new HashMap<>();

    void sent(ElectionName election, Nonce nonce) {
        List<Nonce> before = sent.getOrDefault(election, List.of());
        if (before.contains(nonce)) {
            return; // asked again under the same nonce
        }
        List<Nonce> all = new ArrayList<>(before.subList(Math.max(0, before.size() - REMEMBERED_MAX), before.size()));
        all.add(nonce);
        sent.put(election, List.copyOf(all));
    }

    /** The record carries this nonce now, so nothing that was tried before it can be applied any more. */
    void granted(ElectionName election, Nonce nonce) {
        List<Nonce> all = sent.getOrDefault(election, List.of());
        int at = all.indexOf(nonce);
        if (at > 0) {
            sent.put(election, List.copyOf(all.subList(at, all.size())));
        }
    }

    boolean isUpTo(ElectionName election, Nonce nonce, Nonce last) {
        List<Nonce> all = sent.getOrDefault(election, List.of());
        int at = all.indexOf(nonce);
        return at >= 0 && at <= all.indexOf(last);
    }
}
