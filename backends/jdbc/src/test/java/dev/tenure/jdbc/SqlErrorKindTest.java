// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.jdbc.Dialect.SqlErrorKind;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.Redactor;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an error means for a write: surely without effect, or unknown. */
@Tag("server")
class SqlErrorKindTest {
    @ParameterizedTest
    @CsvSource(textBlock = """
            postgresql, 40001, 0,     CONFLICT,          NONE
            postgresql, 40P01, 0,     CONFLICT,          NONE
            postgresql, 40003, 0,     OTHER,             UNKNOWN
            postgresql, 25006, 0,     READ_ONLY,         NONE
            postgresql, 42501, 0,     MISSING_PRIVILEGE, NONE
            postgresql, 23505, 0,     DUPLICATE,         NONE
            postgresql, 23514, 0,     REFUSED,           NONE
            postgresql, 54000, 0,     REFUSED,           NONE
            postgresql, 53100, 0,     OTHER,             UNKNOWN
            postgresql, 53200, 0,     OTHER,             UNKNOWN
            postgresql, 58030, 0,     OTHER,             UNKNOWN
            postgresql, 57014, 0,     OTHER,             UNKNOWN
            postgresql, 57P01, 0,     UNREACHABLE,       UNKNOWN
            postgresql, 08006, 0,     UNREACHABLE,       UNKNOWN
            postgresql, 08P01, 0,     UNREACHABLE,       UNKNOWN
            postgresql, '',    0,     OTHER,             UNKNOWN
            mariadb,    40001, 1213,  CONFLICT,          NONE
            mariadb,    HY000, 1205,  CONFLICT,          NONE
            mariadb,    HY000, 1290,  READ_ONLY,         NONE
            mariadb,    23000, 1062,  DUPLICATE,         NONE
            mariadb,    23000, 1048,  REFUSED,           NONE
            mariadb,    HY000, 1021,  OTHER,             UNKNOWN
            mariadb,    08S01, 1053,  UNREACHABLE,       UNKNOWN
            mariadb,    70100, 1317,  OTHER,             UNKNOWN
            h2,         HYT00, 50200, CONFLICT,          NONE
            h2,         23505, 23505, DUPLICATE,         NONE
            h2,         HY000, 90098, UNREACHABLE,       UNKNOWN
            h2,         HY000, 50000, OTHER,             UNKNOWN
            """)
    void an_error_of_a_write_is_without_effect_only_where_that_is_certain(
            String product, String state, int code, SqlErrorKind kind, Effect effect) {
        SQLException failure = new SQLException("it failed", state, code);

        assertThat(errors(product).kind(failure)).isEqualTo(kind);
        assertThat(errors(product).maybeAfterEffect(failure).effect()).isEqualTo(effect);
        assertThat(errors(product).beforeAnyEffect(failure).effect()).isEqualTo(Effect.NONE);
    }

    private static SqlErrors errors(String product) {
        return SqlErrors.ofRows(Dialect.of(product), "here", JdbcOptions.standard(), Redactor::withoutKnown);
    }

    @Test
    void a_silence_is_unknown_whatever_the_driver_calls_it() {
        SQLException failure = new SQLException("it failed", "42501", new SocketTimeoutException("Read timed out"));

        assertThat(errors("postgresql").kind(failure)).isEqualTo(SqlErrorKind.SILENT);
        assertThat(errors("postgresql").maybeAfterEffect(failure).effect()).isEqualTo(Effect.UNKNOWN);
    }

    @Test
    void a_pool_that_has_no_connection_says_what_the_database_said() {
        SQLException refused = new SQLException("wrong password", "28P01");

        assertThat(errors("postgresql").kind(new SQLTransientConnectionException("none", refused)))
                .isEqualTo(SqlErrorKind.CREDENTIALS);
    }

    @Test
    void a_password_that_a_driver_repeats_is_not_shown() {
        Redactor redactor = Redactor.withoutKnown().and(List.of("hunter2"));
        SqlErrors errors = SqlErrors.ofRows(new PostgresDialect(), "here", JdbcOptions.standard(), () -> redactor);

        BackendException told = errors.beforeAnyEffect(
                new SQLException("cannot log in with hunter2", "28P01", new IOException("at hunter2")));

        assertThat(told)
                .hasMessageContaining("cannot log in with ***")
                .hasStackTraceContaining("java.io.IOException: at ***");
        assertThat(told.getCause()).hasMessageNotContaining("hunter2").hasMessageContaining("SQLException");
    }
}
