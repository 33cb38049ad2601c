// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.cli.JsonText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void objects_lists_and_optionals_are_written_on_one_line() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("text", "a");
        object.put("none", Optional.empty());
        object.put("some", Optional.of(Map.of("x", 1)));
        object.put("list", List.of("p", true));
        object.put("empty", Map.of());

        assertThat(Json.text(object))
                .isEqualTo("{\"text\":\"a\",\"none\":null,\"some\":{\"x\":1},\"list\":[\"p\",true],\"empty\":{}}");
    }

    @Test
    void quotes_controls_and_what_could_harm_a_terminal_are_escaped() {
        String nasty = "\"\\\n\r\t\u0000\u001b[31m\u007f\u0085\u200e\u2028é😀";

        String json = Json.text(Map.of("x", nasty));

        assertThat(json)
                .isEqualTo("{\"x\":\"\\\"\\\\\\n\\u000d\\u0009\\u0000\\u001b[31m\\u007f\\u0085\\u200e\\u2028é😀\"}");
        assertThat(JsonText.object(json)).containsEntry("x", nasty);
    }

    @Test
    void any_text_comes_back_as_it_was() {
        Random random = new Random(7);
        for (int i = 0; i < 2000; i++) {
            String text = random.ints(20, 0, 0x110000)
                    .map(c -> c >= 0xd800 && c < 0xe000 ? c - 0xd800 : c)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();

            assertThat(JsonText.object(Json.text(Map.of(text, text)))).containsEntry(text, text);
        }
    }
}
