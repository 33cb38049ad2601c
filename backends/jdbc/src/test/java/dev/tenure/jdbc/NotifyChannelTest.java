package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NotifyChannelTest {
    @Test
    void a_table_is_named_with_its_schema_or_without() {
        assertThat(new NotifyChannel("tenure_records").expression()).startsWith("'tenure_records_'");
        assertThat(new NotifyChannel("elections.tenure_records").expression()).startsWith("'tenure_records_'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a'b", "a.b.c", "a b", "a;--", "\"a\"", "."})
    void what_would_be_more_than_a_name_in_a_statement_is_refused(String table) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new NotifyChannel(table))
                .withMessageContaining("'" + table + "'");
    }
}
