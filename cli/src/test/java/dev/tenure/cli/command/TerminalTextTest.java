// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TerminalTextTest {
    @Test
    void plain_text_in_any_script_stays() {
        assertThat(TerminalText.line("billing/sweeper é 東京 😀")).isEqualTo("billing/sweeper é 東京 😀");
    }

    @Test
    void what_could_move_the_cursor_forge_a_line_or_hide_is_escaped() {
        assertThat(TerminalText.line("a\u001b[2J\nb\u202ec\u200bd\ud800"))
                .isEqualTo("a\\u001b[2J\\u000ab\\u202ec\\u200bd\\ud800");
    }

    @Test
    void long_text_is_cut_visibly() {
        assertThat(TerminalText.line("😀😀😀😀", 3)).isEqualTo("😀😀😀…");
    }
}
