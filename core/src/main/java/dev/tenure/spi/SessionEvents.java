// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import dev.tenure.ElectionName;

/** What a session pushes, on any thread. Each is a hint except {@code granted} and {@code lost}. */
public interface SessionEvents {
    /** A queued claim has come to the front, and a linearizable read of its own entry proved it. */
    void granted(ElectionName election, ClaimReply.Granted grant);

    /** The election may have changed: claim again, or check that it is still held. */
    void changed(ElectionName election);

    /**
     * The record of the election carried this token, in a read whose answer does not say so: none at or below it is led any
     * more.
     */
    void tokenObserved(ElectionName election, long token);

    /** An operator asks for something. The engine decides whether the request is for a term of this process. */
    void requested(OperatorRequest request);

    /** The way to the store was made anew: what it has lost meanwhile is not reported one by one, so check all that is held. */
    default void reconnected() {}

    /** The claim that this one waits for does not go by itself: people have to know, and what they can do. */
    default void blocked(ElectionName election, String why) {}

    /** The store said that this session is gone. */
    void lost(String why);
}
