// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import java.time.Duration;

/** What passes between a client and a server. What does not is late, not lost: as with a cut cable under TCP. */
public record NetworkConditions(boolean requestsPass, boolean answersPass, Duration answersTake) {
    public static final NetworkConditions NORMAL = new NetworkConditions(true, true, Duration.ZERO);
    public static final NetworkConditions CUT = new NetworkConditions(false, false, Duration.ZERO);
    /** The server hears nothing; what it has to say arrives. */
    public static final NetworkConditions NO_REQUESTS = new NetworkConditions(false, true, Duration.ZERO);
    /** Requests take effect; no answer comes. */
    public static final NetworkConditions NO_ANSWERS = new NetworkConditions(true, false, Duration.ZERO);

    public static NetworkConditions slow(Duration answersTake) {
        return new NetworkConditions(true, true, answersTake);
    }
}
