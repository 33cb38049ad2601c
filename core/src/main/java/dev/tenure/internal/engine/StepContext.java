// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import java.util.Optional;

/**
 * The moment in which an event is handled.
 *
 * @param session the session, if one is open
 * @param authorised whether both clocks say that a term of this session may act now
 * @param standBackNanos how long others are let go first after a resignation
 */
public record StepContext(long nowNanos, Optional<SessionState.Open> session, boolean authorised, long standBackNanos) {
    boolean isOpen(String id) {
        return session.isPresent() && session.get().id().equals(id);
    }

    boolean reached(long nanos) {
        return nowNanos - nanos >= 0;
    }
}
