package dev.tenure.zookeeper;

import dev.tenure.Nonce;
import java.util.ArrayList;
import java.util.List;

/**
 * In which order this session has claimed one election. A release gives up the claim of its nonce and what was tried before
 * it, and never a later one: a release that is repeated or late must not end the next term. Loop-confined.
 */
final class Attempts {
    private static final int REMEMBERED_MAX = 32;

    private List<Nonce> sent = List.of();

    void sent(Nonce nonce) {
        if (!sent.contains(nonce)) {
            List<Nonce> longer = new ArrayList<>(sent);
            longer.add(nonce);
            int forgotten = Math.max(0, longer.size() - REMEMBERED_MAX);
            sent = List.copyOf(longer.subList(forgotten, longer.size()));
        }
    }

    boolean isUpTo(Nonce nonce, Nonce last) {
        int limit = lastIndexOf(last);
        return limit >= 0 && lastIndexOf(nonce) <= limit;
    }

    /** Mostly it is the newest one that is asked for, so the search begins there. */
    private int lastIndexOf(Nonce nonce) {
        int at = sent.size() - 1;
        while (at >= 0 && !isSame(sent.get(at), nonce)) {
            at--;
        }
        return at;
    }

    /** By hand: a release waits for this, and the equality of a record is made of method handles. */
    private static boolean isSame(Nonce one, Nonce other) {
        return one.high() == other.high() && one.low() == other.low();
    }

    int order(Nonce nonce) {
        return sent.indexOf(nonce);
    }
}
