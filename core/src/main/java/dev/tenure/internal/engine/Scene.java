package dev.tenure.internal.engine;

import java.util.Optional;

/** The moment in which an event is handled: the time, and the session if one is open. */
public record Scene(long nowNanos, Optional<SessionState.Open> session) {
    boolean isOpen(String id) {
        return session.isPresent() && session.get().id().equals(id);
    }

    boolean reached(long nanos) {
        return nowNanos - nanos >= 0;
    }
}
