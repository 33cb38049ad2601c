// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DocumentedTableTest {
    private static final Path PAGE = Path.of("../../docs/backends/jdbc.md");

    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "mariadb", "h2"})
    void the_page_has_the_very_statement_that_a_candidate_uses(String product) throws IOException {
        String statement =
                Dialect.of(product).createTable(JdbcOptions.standard().table());

        assertThat(Files.readString(PAGE)).contains("```sql\n" + statement + "\n```");
    }
}
