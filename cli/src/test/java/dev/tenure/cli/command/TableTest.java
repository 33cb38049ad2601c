// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void columns_line_up_and_lines_have_no_blanks_at_the_end() {
        Table table = new Table("NAME", "LEADER", "TOKEN");
        table.row("a", Optional.empty(), "—");
        table.row("longer-name", Optional.of("host-1"), 42);
        table.row("x\u001b[2J", "", true);

        assertThat(table.lines())
                .containsExactly(
                        "NAME         LEADER  TOKEN", //
                        "a            —       —",
                        "longer-name  host-1  42",
                        "x\\u001b[2J           true");
    }
}
