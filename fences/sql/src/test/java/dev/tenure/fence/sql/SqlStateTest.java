// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlStateTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "08006", "53100", "53200", "08007", "57P01", "57P02", "58030", "XX000", "40003", "99999", "F0001", "?"
            })
    @NullAndEmptySource
    void a_commit_that_was_sent_may_have_been_executed_if_connection_server_or_driver_failed(String state) {
        assertThat(Sql.SqlState.mayHaveCommitted(new SQLException("why", state)))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"23505", "22P02", "40001", "40P01", "42P01", "42601", "57014", "55P03", "P0001", "TF001"})
    void a_commit_behind_a_statement_that_the_server_has_refused_was_not_executed(String state) {
        assertThat(Sql.SqlState.mayHaveCommitted(new SQLException("why", state)))
                .isFalse();
    }
}
