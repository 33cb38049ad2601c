package dev.tenure.jdbc;

/** What a database means by an error. It decides what people are told, and whether the statement may have had an effect. */
public enum SqlErrorKind {
    /** No connection, or it broke. */
    UNREACHABLE(false, false),
    /** It did not answer in time. */
    SILENT(false, false),
    /** More connections than it allows. */
    CROWDED(true, false),
    CREDENTIALS(true, true),
    /** No line of the server's own rules lets this user in from here, or none without TLS. */
    NOT_ADMITTED(true, true),
    /** No connection, because of TLS: one side does not have it, or does not trust the other. */
    UNTRUSTED(false, true),
    MISSING_DATABASE(true, true),
    MISSING_TABLE(true, true),
    MISSING_PRIVILEGE(true, true),
    /** A replica, a recovering server, or one that was set to read only. It may be promoted: waiting can help. */
    READ_ONLY(true, false),
    /** Rolled back in favour of another one: a deadlock, a lock that was waited for in vain, a failed serialization. */
    CONFLICT(true, false),
    /** There is such a row already. */
    DUPLICATE(true, true),
    /** Something else, but the statement was surely not carried out. */
    REFUSED(true, true),
    /** Something else. */
    OTHER(false, false);

    private final boolean withoutEffect;
    private final boolean forPeople;

    SqlErrorKind(boolean withoutEffect, boolean forPeople) {
        this.withoutEffect = withoutEffect;
        this.forPeople = forPeople;
    }

    /** Was the statement surely not applied, and will not be? Then the connection is worth keeping. */
    public boolean isWithoutEffect() {
        return withoutEffect;
    }

    /** Does it last until a person changes something? */
    boolean isForPeople() {
        return forPeople;
    }
}
