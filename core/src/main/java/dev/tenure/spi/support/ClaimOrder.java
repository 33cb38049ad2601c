// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import dev.tenure.Nonce;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/**
 * In which order a session has claimed one election, and which of these claims may still take effect. Loop-confined.
 *
 * <p>This is the part of {@link dev.tenure.spi.BackendSession#release} that does not depend on the store:
 *
 * <ul>
 *   <li>A release gives up the claim of its nonce and every earlier one, and never a later one ({@link #isUpTo}): a release
 *       that is repeated or late must not end the next term.
 *   <li>A call that a newer one has overtaken goes no further ({@link #nextCall}, {@link #newestCall}).
 *   <li>A claim whose answer did not come may still be applied. It stays {@link #open} until an answer, or a step in the store
 *       after which it cannot be applied any more. As long as one is open, a release has to take such a step first.
 * </ul>
 *
 * @param <M> what the backend has to know of an open claim: the version that it expects, or under which guard it was sent
 */
public final class ClaimOrder<M> {
    private static final int REMEMBERED_MAX = 64;

    /** Oldest first. */
    private final List<Nonce> claimed = new ArrayList<>(1);

    private final Map<Object, M> open = new HashMap<>(2);
    private long calls;

    /** This nonce is claimed with now: it is the newest. */
    public void claims(Nonce nonce) {
        claimed.remove(nonce);
        claimed.add(nonce);
        if (claimed.size() > REMEMBERED_MAX) {
            claimed.remove(0);
        }
    }

    /** Nothing that was tried before this nonce can be applied any more. */
    public void forgetBefore(Nonce nonce) {
        claimed.subList(0, Math.max(0, order(nonce))).clear();
    }

    /** Has this session claimed with this nonce? */
    public boolean knows(Nonce nonce) {
        return claimed.contains(nonce);
    }

    /** Is this the nonce of the newest claim? */
    public boolean isNewest(Nonce nonce) {
        return !claimed.isEmpty() && claimed.get(claimed.size() - 1).equals(nonce);
    }

    /** Is this claim the last one meant, or an earlier one? What is not known was forgotten long ago, so it is an early one. */
    public boolean isUpTo(Nonce nonce, Nonce last) {
        return knows(last) && order(nonce) <= order(last);
    }

    /** Grows with every claim; -1 if it is not known. */
    public int order(Nonce nonce) {
        return claimed.indexOf(nonce);
    }

    /** Begins a call, which overtakes all before it. */
    public long nextCall() {
        return ++calls;
    }

    /** The number of the newest call: a step of an older one must not go on. */
    public long newestCall() {
        return calls;
    }

    /** This claim was sent, or its outcome is not known: it may take effect until it is settled. */
    public void opened(Object claim, M mark) {
        open.put(claim, mark);
    }

    /** It was answered, or cannot take effect any more. */
    public void settled(Object claim) {
        open.remove(claim);
    }

    /** None of these can take effect any more. */
    public void settledIf(BiPredicate<Object, M> test) {
        open.entrySet().removeIf(one -> test.test(one.getKey(), one.getValue()));
    }

    /** The claims that may still take effect, each with its mark. */
    public Map<Object, M> open() {
        return Collections.unmodifiableMap(open);
    }
}
