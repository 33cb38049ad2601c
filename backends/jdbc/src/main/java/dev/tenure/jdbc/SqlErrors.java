// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.jdbc.Dialect.SqlErrorKind;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Redactor;
import java.sql.SQLException;
import java.util.function.Supplier;

/** Turns what a database says into a sentence that says what to do. No password comes through here. */
public class SqlErrors {
    private static final int SAID_CHARS_MAX = 300;

    protected final String place;
    private final Dialect dialect;
    private final Wording wording;
    private final Supplier<Redactor> redactor;

    /**
     * Where the sentences for one backend differ from those for another.
     *
     * @param missing that its tables are missing
     * @param privileges what its user has to be granted
     * @param script makes the tables
     * @param connections how many connections a candidate needs
     * @param limit how long an answer is waited for
     */
    public record Wording(String missing, String privileges, String script, String connections, String limit) {}

    /**
     * @param place what people call the database
     * @param redactor knows what must not be shown, should a driver repeat it; asked for each failure
     */
    public SqlErrors(Dialect dialect, String place, Wording wording, Supplier<Redactor> redactor) {
        this.dialect = dialect;
        this.place = place;
        this.wording = wording;
        this.redactor = redactor;
    }

    static SqlErrors ofRows(Dialect dialect, String place, JdbcOptions options, Supplier<Redactor> redactor) {
        String table = options.table();
        Wording wording = new Wording(
                "the table " + table + " is missing",
                "SELECT, INSERT, UPDATE and DELETE on " + table,
                dialect.createTable(table) + ";",
                "a candidate needs two, and with notifications a third",
                "within " + options.timeout().toMillis() + " ms (tenure.timeout sets the limit)");
        return new SqlErrors(dialect, place, wording, redactor);
    }

    public final SqlErrorKind kind(SQLException failure) {
        return dialect.errorKind(failure);
    }

    /** A failure of something that changes nothing: connecting, or a read. */
    public final BackendException beforeAnyEffect(SQLException failure) {
        return of(failure, Effect.NONE);
    }

    /** A failure of something that changes the store. */
    public final BackendException maybeAfterEffect(SQLException failure) {
        return of(failure, isWithoutEffect(failure) ? Effect.NONE : Effect.UNKNOWN);
    }

    /** Was the statement surely not applied, and is the connection still worth something? */
    public boolean isWithoutEffect(SQLException failure) {
        return kind(failure).isWithoutEffect();
    }

    public final BackendException readOnly() {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, sentence(SqlErrorKind.READ_ONLY));
    }

    /** @param table which tells its layout */
    public final BackendException foreignLayout(String table, String found, int known) {
        return new BackendException(
                Effect.NONE,
                Kind.CORRUPT,
                table + " at " + place + " has layout '" + shortened(found) + "', and this version of Tenure knows "
                        + known + ": use a newer version, or another tenure.prefix if the table is not Tenure's");
    }

    protected BackendException of(SQLException failure, Effect effect) {
        SqlErrorKind kind = kind(failure);
        return explained(failure, effect, kind.isForPeople() ? Kind.MISCONFIGURED : Kind.UNREACHABLE, sentence(kind));
    }

    /** @param sentence what to do */
    protected final BackendException explained(SQLException failure, Effect effect, Kind kind, String sentence) {
        Redactor known = redactor.get();
        String said = failure.getMessage() == null ? "" : onOneLine(known.text(failure.getMessage()));
        return new BackendException(
                effect, kind, sentence + " (it says: " + shortened(said) + ")", known.failure((Throwable) failure));
    }

    private String sentence(SqlErrorKind kind) {
        return switch (kind) {
            case UNREACHABLE ->
                place
                        + " cannot be reached, or has ended the connection: is the database up, and are host and port right?";
            case SILENT ->
                place + " does not answer " + wording.limit
                        + ": it hangs, is overloaded, or packets are lost on the way";
            case CROWDED ->
                place + " has no connection left: " + wording.connections
                        + "; raise the server's limit (max_connections)";
            case CREDENTIALS ->
                place
                        + " refuses the user or the password: check user and password in the URL, or tenure.password.file";
            case NOT_ADMITTED ->
                place
                        + " does not let this user in from here: it has no rule for it (pg_hba.conf), or one that asks for"
                        + " TLS (sslmode) or a client certificate (sslcert, sslkey)";
            case UNTRUSTED ->
                place + " and this client do not agree on TLS: the server does not have it, or its certificate is not"
                        + " trusted (sslmode, sslrootcert) or is for another host";
            case MISSING_DATABASE -> place + " has no such database: create it, or correct the URL";
            case MISSING_TABLE ->
                wording.missing + " at " + place + ": create what is missing, or leave out tenure.tables=expect: "
                        + onOneLine(wording.script);
            case MISSING_PRIVILEGE ->
                "the user has not enough privileges at " + place + ": grant " + wording.privileges
                        + ", and let an administrator create what is missing: " + onOneLine(wording.script);
            case READ_ONLY -> place + " is read-only: a replica, or a server in recovery. Name the primary in the URL";
            case CONFLICT -> place + " gave way to another transaction; it is tried again";
            case DUPLICATE, REFUSED ->
                place + " refuses a statement on a table of Tenure's: was that made or changed by hand?";
            case OTHER -> place + " failed";
        };
    }

    /** As terminals and logs show it; a script is made to be copied from there. */
    private static String onOneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    private static String shortened(String text) {
        return text.length() <= SAID_CHARS_MAX ? text : text.substring(0, SAID_CHARS_MAX) + "…";
    }
}
