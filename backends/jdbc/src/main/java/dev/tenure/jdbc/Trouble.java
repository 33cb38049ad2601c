package dev.tenure.jdbc;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Redactor;
import java.sql.SQLException;
import java.util.function.Supplier;

/** Turns what a database says into a sentence that says what to do. No password comes through here. */
final class Trouble {
    private final Dialect dialect;
    private final String place;
    private final JdbcOptions options;
    private final Supplier<Redactor> redactor;

    /**
     * @param place what people call the database
     * @param redactor knows what must not be shown, should a driver repeat it; asked for each failure
     */
    Trouble(Dialect dialect, String place, JdbcOptions options, Supplier<Redactor> redactor) {
        this.dialect = dialect;
        this.place = place;
        this.options = options;
        this.redactor = redactor;
    }

    Complaint complaint(SQLException failure) {
        return dialect.complaint(failure);
    }

    /** A failure of something that changes nothing: connecting, or a read. */
    BackendException beforeAnyEffect(SQLException failure) {
        return of(complaint(failure), Effect.NONE, failure);
    }

    /** A failure of something that changes the store. */
    BackendException maybeAfterEffect(SQLException failure) {
        Complaint complaint = complaint(failure);
        return of(complaint, complaint.isWithoutEffect() ? Effect.NONE : Effect.UNKNOWN, failure);
    }

    BackendException readOnly() {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, sentence(Complaint.READ_ONLY));
    }

    BackendException foreignLayout(String found, int known) {
        return new BackendException(
                Effect.NONE,
                Kind.CORRUPT,
                options.table() + " at " + place + " has layout '" + shortened(found)
                        + "', and this version of Tenure knows " + known
                        + ": use a newer version, or another tenure.prefix if the table is not Tenure's");
    }

    static BackendException closed() {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, "this store is closed");
    }

    private BackendException of(Complaint complaint, Effect effect, SQLException failure) {
        Redactor known = redactor.get();
        String said = failure.getMessage() == null ? "" : onOneLine(known.text(failure.getMessage()));
        String message = sentence(complaint) + " (it says: " + shortened(said) + ")";
        return new BackendException(effect, kind(complaint), message, known.failure((Throwable) failure));
    }

    private static Kind kind(Complaint complaint) {
        return switch (complaint) {
            case CREDENTIALS,
                    NOT_ADMITTED,
                    UNTRUSTED,
                    MISSING_DATABASE,
                    MISSING_TABLE,
                    MISSING_PRIVILEGE,
                    REFUSED,
                    DUPLICATE -> Kind.MISCONFIGURED;
            // A replica may be promoted, and a failover may lead here before it is complete: waiting can help.
            case READ_ONLY, UNREACHABLE, SILENT, CROWDED, CONFLICT, OTHER -> Kind.UNREACHABLE;
        };
    }

    private String sentence(Complaint complaint) {
        return switch (complaint) {
            case UNREACHABLE -> place + " cannot be reached: is the database up, and are host and port right?";
            case SILENT ->
                place + " does not answer within " + options.timeout().toMillis()
                        + " ms: it hangs, is overloaded, or packets are lost on the way (tenure.timeout sets the limit)";
            case CROWDED ->
                place
                        + " has no connection left: a candidate needs two, and with notifications a third; raise the server's limit";
            case CREDENTIALS ->
                place + " refuses the user or the password: check user and password in the URL, or "
                        + "tenure.password.file";
            case NOT_ADMITTED ->
                place
                        + " does not let this user in from here: it has no rule for it (pg_hba.conf), or one that asks for"
                        + " TLS (sslmode) or a client certificate (sslcert, sslkey)";
            case UNTRUSTED ->
                place + " and this client do not agree on TLS: the server does not have it, or its certificate is not"
                        + " trusted (sslmode, sslrootcert) or is for another host";
            case MISSING_DATABASE -> place + " has no such database: create it, or correct the URL";
            case MISSING_TABLE ->
                "the table " + options.table() + " is missing at " + place
                        + ": create it, or leave out tenure.tables=expect: " + script();
            case MISSING_PRIVILEGE ->
                "the user has not enough privileges at " + place
                        + ": grant SELECT, INSERT, UPDATE and DELETE on " + options.table()
                        + ", and if it is missing let an administrator create it: " + script();
            case READ_ONLY -> place + " is read-only: a replica, or a server in recovery. Name the primary in the URL";
            case CONFLICT -> place + " gave way to another transaction on " + options.table() + "; it is tried again";
            case DUPLICATE, REFUSED ->
                place + " refuses a statement on " + options.table() + ": was the table made or changed by hand?";
            case OTHER -> place + " failed";
        };
    }

    /** Made to be copied, also from a terminal or a log that shows one line for each message. */
    private String script() {
        return onOneLine(dialect.createTable(options.table())) + ";";
    }

    private static String onOneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    private static String shortened(String text) {
        return text.length() <= 300 ? text : text.substring(0, 300) + "…";
    }
}
