// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ElectionNameTest {
    @ParameterizedTest
    @CsvSource({
        "sweeper, sweeper",
        "a-b_c.9, a-b_c.9",
        "billing/sweeper, billing%2fsweeper",
        "A, %41",
        "100%, 100%25",
        "a b, a%20b",
        "., %2e",
        ".., %2e.",
        ".hidden, %2ehidden",
        "a.., a..",
        "é, %c3%a9",
        "\\, %5c",
        "a:b*?, a%3ab%2a%3f"
    })
    void names_have_one_spelling_in_every_store(String name, String key) {
        assertThat(ElectionName.of(name).encoded()).isEqualTo(key);
        assertThat(ElectionName.decode(key)).isEqualTo(ElectionName.of(name));
    }

    @Test
    void composed_and_decomposed_spellings_are_the_same_election() {
        ElectionName composed = ElectionName.of("caf\u00e9");
        ElectionName decomposed = ElectionName.of("cafe\u0301");

        assertThat(decomposed).isEqualTo(composed);
        assertThat(decomposed.hashCode()).isEqualTo(composed.hashCode());
        assertThat(decomposed.encoded()).isEqualTo(composed.encoded());
    }

    @Test
    void the_empty_name_is_refused() {
        assertThatThrownBy(() -> ElectionName.of("")).hasMessageContaining("needs a name");
    }

    @Test
    void exactly_200_bytes_are_accepted_and_201_refused_with_both_numbers() {
        assertThat(ElectionName.of("x".repeat(200)).value()).hasSize(200);
        assertThat(ElectionName.of("é".repeat(100)).value()).hasSize(100);

        assertThatThrownBy(() -> ElectionName.of("x".repeat(201)))
                .hasMessageContaining("201")
                .hasMessageContaining("200");
        assertThatThrownBy(() -> ElectionName.of("é".repeat(100) + "x")).hasMessageContaining("201");
    }

    @Test
    void the_cap_counts_the_normalised_form() {
        String decomposed = "e\u0301".repeat(100);

        assertThat(ElectionName.of(decomposed).value()).isEqualTo("é".repeat(100));
    }

    @Test
    void every_control_character_is_refused() {
        for (int c = 0; c < 0xa0; c++) {
            if (Character.isISOControl(c)) {
                String name = "a" + (char) c + "b";

                assertThatThrownBy(() -> ElectionName.of(name))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("control character")
                        .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain(name.substring(1, 2)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud800", "\udfff", "a\ud83d", "\ude00a", "\ude00\ud83d"})
    void half_of_a_surrogate_pair_is_refused(String name) {
        assertThatThrownBy(() -> ElectionName.of(name)).hasMessageContaining("surrogate");
    }

    @Test
    void a_whole_surrogate_pair_is_a_character_like_any_other() {
        ElectionName name = ElectionName.of("\ud83d\ude00");

        assertThat(name.encoded()).isEqualTo("%f0%9f%98%80");
        assertThat(ElectionName.decode(name.encoded())).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "A",
                "a/b",
                ".",
                "..",
                ".a",
                "a b",
                "é",
                "%",
                "%4",
                "a%",
                "a%2",
                "%zz",
                "%61",
                "%C3%A9",
                "%2F",
                "%c3",
                "%a9",
                "%c0%af",
                "%ed%a0%80",
                "%f5%80%80%80",
                "%00",
                "%0a",
                "a%2e",
                "%cc%81",
                "cafe%cc%81",
                "%５５",
                "ａ",
                "\u0161",
                "a?",
                "a*"
            })
    void decoding_refuses_what_encoding_does_not_produce(String key) {
        boolean itself = false;
        try {
            itself = ElectionName.decode(key).encoded().equals(key);
        } catch (IllegalArgumentException refused) {
            return;
        }

        // A lone combining mark is a legal name: then the key must be exactly its spelling.
        assertThat(itself).as("%s was accepted", key).isTrue();
        assertThat(key).isEqualTo("%cc%81");
    }

    @Test
    void decoding_refuses_a_key_of_a_name_that_is_too_long() {
        assertThatThrownBy(() -> ElectionName.decode("x".repeat(201))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void names_sort_by_their_text() {
        assertThat(ElectionName.of("a")).isLessThan(ElectionName.of("b"));
        assertThat(ElectionName.of("a")).isEqualByComparingTo(ElectionName.of("a"));
    }
}
