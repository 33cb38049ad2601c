package dev.tenure.internal.engine;

/** What can happen to a session. Replies carry the attempt they answer. */
public sealed interface SessionEvent {
    /** A candidacy needs it. */
    record Wanted() implements SessionEvent {}

    record Opened(long attempt, String id, Timing timing) implements SessionEvent {}

    record OpenFailed(long attempt, String why) implements SessionEvent {}

    /** @param holdsClaim does this session hold a claim now? */
    record Renewed(long attempt, Timing timing, boolean holdsClaim) implements SessionEvent {}

    /** Refused or unknown: both only mean that nothing was proved. */
    record RenewFailed(long attempt, String why) implements SessionEvent {}

    /** The store said that this session is gone. */
    record Gone(String id, String why) implements SessionEvent {}

    record Tick() implements SessionEvent {}

    /** There is reason to ask the store at once whether this session still stands. */
    record RenewWanted() implements SessionEvent {}

    /** It holds a claim now, and may have held none before. */
    record ClaimGranted() implements SessionEvent {}

    record CloseWanted() implements SessionEvent {}
}
