package dev.tenure.jdbc;

/** What a database means by an error. It decides what people are told, and whether the statement may have had an effect. */
public enum SqlErrorKind {
    /** No connection, or it broke. */
    UNREACHABLE,
    /** It did not answer in time. */
    SILENT,
    /** More connections than it allows. */
    CROWDED,
    CREDENTIALS,
    /** No line of the server's own rules lets this user in from here, or none without TLS. */
    NOT_ADMITTED,
    /** No connection, because of TLS: one side does not have it, or does not trust the other. */
    UNTRUSTED,
    MISSING_DATABASE,
    MISSING_TABLE,
    MISSING_PRIVILEGE,
    /** A replica, a recovering server, or one that was set to read only. */
    READ_ONLY,
    /** Rolled back in favour of another one: a deadlock, a lock that was waited for in vain, a failed serialization. */
    CONFLICT,
    /** There is such a row already. */
    DUPLICATE,
    /** Something else, but the statement was surely not carried out. */
    REFUSED,
    /** Something else. */
    OTHER;

    /** Was the statement surely not applied, and will not be? */
    public boolean isWithoutEffect() {
        return switch (this) {
            case UNREACHABLE, SILENT, UNTRUSTED, OTHER -> false;
            default -> true;
        };
    }

    /** Is the connection no longer worth keeping? */
    boolean isOfConnection() {
        return !isWithoutEffect();
    }
}
