// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.jdbc.JdbcTarget;
import dev.tenure.spi.BackendUrl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("server")
class DocumentedTablesTest {
    private static final JdbcTarget PLACE = JdbcTarget.of(BackendUrl.parse("postgresql+advisory://app:hidden@db/app"));
    private static final ElectionTables TABLES = new ElectionTables(PLACE.options());

    @Test
    void the_page_has_the_very_statements_that_a_candidate_uses() throws Exception {
        String page = Files.readString(Path.of("../../docs/backends/postgresql-advisory.md"));

        assertThat(page).contains("```sql\n" + TABLES.script() + "```");
    }

    @Test
    void a_pooler_that_refuses_what_the_driver_sends_is_named_and_no_password_is_shown() {
        SQLException said =
                new SQLException("FATAL: unsupported startup parameter: extra_float_digits hidden", "08P01");

        assertThat(new AdvisoryErrors(PLACE, TABLES).beforeAnyEffect(said))
                .hasMessageContaining("PgBouncer")
                .hasMessageNotContaining("hidden");
    }
}
