package dev.tenure.internal.engine;

import dev.tenure.Loss;

/** What a session machine asks for. */
public sealed interface SessionEffect {
    record SendOpen(long attempt) implements SessionEffect {}

    record SendRenew(long attempt) implements SessionEffect {}

    /** Publish this authority to every term of the session, and then tell the elections. */
    record Publish(SessionState.Open open, boolean first) implements SessionEffect {}

    /** A renewal was not acknowledged. */
    record Doubt(String why) implements SessionEffect {}

    /** Acknowledged again after doubt. */
    record Relief() implements SessionEffect {}

    /** The session is over: revoke its authority at once, then tell the elections. */
    record Lose(String id, Loss loss, String why) implements SessionEffect {}

    record Trouble(String why) implements SessionEffect {}
}
