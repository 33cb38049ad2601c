package dev.tenure.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void columns_line_up_and_lines_have_no_blanks_at_the_end() {
        Table table = new Table("NAME", "LEADER", "TOKEN");
        table.row("a", "—", "—");
        table.row("longer-name", "host-1", "42");

        assertThat(table.lines())
                .containsExactly(
                        "NAME         LEADER  TOKEN", //
                        "a            —       —",
                        "longer-name  host-1  42");
    }
}
