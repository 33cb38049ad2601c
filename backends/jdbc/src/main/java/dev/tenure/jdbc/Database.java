package dev.tenure.jdbc;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Redactor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.Supplier;

/** One database, spoken to in its dialect. */
record Database(Dialect dialect, String place, Records records, Writes writes, Layout layout, Trouble trouble) {
    static final String NOT_ASKED_YET = "C unless there is a synchronous standby; the database was not asked yet";

    static Database of(Dialect dialect, String place, JdbcOptions options, Supplier<Redactor> redactor) {
        Trouble trouble = new Trouble(dialect, place, options, redactor);
        Records records = new Records(dialect, options, trouble);
        Writes writes = new Writes(dialect, options);
        return new Database(dialect, place, records, writes, new Layout(dialect, options, trouble), trouble);
    }

    /** The best that it may be: only the database itself can tell, and a grade that was required is checked again then. */
    BackendTraits traitsUnasked(Wakeup wakeup) {
        return dialect.asksForSynchronousStandby().isPresent()
                ? traits(place, Grade.B, NOT_ASKED_YET, dialect.scope(place), wakeup)
                : traits(Grade.C, wakeup);
    }

    BackendTraits traits(Grade grade, Wakeup wakeup) {
        String reason = grade == Grade.B
                ? "a step of the database's clock can end a lease early"
                : "a failover to a standby that lacks the last writes, or a step of the database's clock, can end a lease early";
        return traits(place, grade, reason, dialect.scope(place), wakeup);
    }

    static BackendTraits traits(String place, Grade grade, String reason, Scope scope, Wakeup wakeup) {
        return BackendTraits.of(place)
                .grade(grade, reason)
                .scope(scope)
                .ttl(Duration.ofMillis(500), Duration.ofHours(1))
                .expiry(BackendTraits.ExpiryJudge.SERVER_TIME)
                .tokens(BackendTraits.TokenSource.COUNTER)
                .wakeup(wakeup)
                .build();
    }

    /** As the database is set now; who changes that while candidates run has to restart them. */
    Grade grade(Connection connection) throws SQLException {
        if (dialect.asksForSynchronousStandby().isEmpty()) {
            return Grade.C;
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        dialect.asksForSynchronousStandby().get())) {
            return rows.next() && rows.getInt(1) == 1 ? Grade.B : Grade.C;
        }
    }
}
