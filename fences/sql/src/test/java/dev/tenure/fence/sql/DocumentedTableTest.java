// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DocumentedTableTest {
    private static final Path PAGE = Path.of("../../docs/fencing.md");

    @ParameterizedTest
    @EnumSource(FenceDialect.class)
    void the_page_has_the_very_statement_that_a_fence_uses(FenceDialect dialect) throws IOException {
        String statement = dialect.createTable(FenceOptions.TABLE);

        assertThat(Files.readString(PAGE)).contains("```sql\n" + statement + "\n```");
    }
}
