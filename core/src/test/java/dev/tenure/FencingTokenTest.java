// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FencingTokenTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "0",
                "00",
                "01",
                "-1",
                "+1",
                " 1",
                "1 ",
                "1\n",
                "1_000",
                "1,000",
                "1.0",
                "1e3",
                "0x1f",
                "1L",
                "١٢٣",
                "１２３",
                "²",
                "9223372036854775808",
                "9999999999999999999",
                "18446744073709551616",
                "12345678901234567890",
                "null",
                "NaN"
            })
    void anything_but_canonical_decimal_is_refused(String text) {
        assertThatThrownBy(() -> FencingToken.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("not a fencing token");
    }

    @Test
    void a_refused_text_is_shown_without_its_control_characters_and_not_whole() {
        String hostile = "1\u001b[31m" + "x".repeat(500);

        assertThatThrownBy(() -> FencingToken.parse(hostile))
                .hasMessageContaining("\\u001b[31m")
                .hasMessageContaining("…")
                .satisfies(refused -> assertThat(refused.getMessage()).hasSizeLessThan(150));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 9, 10, 281474976710655L, 281474976710656L, Long.MAX_VALUE - 1, Long.MAX_VALUE})
    void every_token_reads_back_from_its_text(long value) {
        FencingToken token = new FencingToken(value);

        FencingToken read = FencingToken.parse(token.toString());

        assertThat(read).isEqualTo(token);
        assertThat(token.toString()).isEqualTo(Long.toString(value));
    }

    @Test
    void random_tokens_read_back_from_their_text() {
        SplittableRandom random = new SplittableRandom(42);

        for (int i = 0; i < 100_000; i++) {
            FencingToken token = new FencingToken(random.nextLong(1, Long.MAX_VALUE) >>> random.nextInt(63) | 1);

            assertThat(FencingToken.parse(token.toString())).isEqualTo(token);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void a_token_is_positive(long value) {
        assertThatThrownBy(() -> new FencingToken(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Long.toString(value));
    }

    @Test
    void the_high_15_bits_are_the_era_and_the_low_48_the_sequence() {
        FencingToken token = FencingToken.of(3, 7);

        assertThat(token.value()).isEqualTo((3L << 48) + 7);
        assertThat(token.era()).isEqualTo(3);
        assertThat(token.sequence()).isEqualTo(7);
    }

    @Test
    void the_largest_era_and_sequence_fill_the_positive_longs() {
        FencingToken last = FencingToken.of(FencingToken.ERA_MAX, FencingToken.SEQUENCE_MAX);

        assertThat(last.value()).isEqualTo(Long.MAX_VALUE);
        assertThat(last.era()).isEqualTo(32767);
        assertThat(last.sequence()).isEqualTo(281474976710655L);
    }

    @Test
    void an_era_or_sequence_that_does_not_fit_is_refused_with_its_range() {
        assertThatThrownBy(() -> FencingToken.of(FencingToken.ERA_MAX + 1, 1)).hasMessageContaining("0..32767");
        assertThatThrownBy(() -> FencingToken.of(-1, 1)).hasMessageContaining("era -1");
        assertThatThrownBy(() -> FencingToken.of(0, FencingToken.SEQUENCE_MAX + 1))
                .hasMessageContaining("0..281474976710655");
        assertThatThrownBy(() -> FencingToken.of(0, -1)).hasMessageContaining("sequence -1");
        assertThatThrownBy(() -> FencingToken.of(0, 0)).hasMessageContaining("positive");
    }

    @Test
    void a_later_era_is_newer_than_every_sequence_of_an_earlier_one() {
        FencingToken last = FencingToken.of(1, FencingToken.SEQUENCE_MAX);
        FencingToken first = FencingToken.of(2, 0);

        assertThat(first.isNewerThan(last)).isTrue();
        assertThat(last.isNewerThan(first)).isFalse();
        assertThat(first.isNewerThan(first)).isFalse();
    }

    @Test
    void tokens_sort_by_number_and_not_by_text() {
        List<FencingToken> tokens =
                new ArrayList<>(List.of(new FencingToken(10), new FencingToken(9), new FencingToken(100)));

        Collections.sort(tokens);

        assertThat(tokens).extracting(FencingToken::value).containsExactly(9L, 10L, 100L);
    }

    @Test
    void neighbours_above_2_to_the_53_are_told_apart() {
        FencingToken one = new FencingToken((1L << 53) + 1);
        FencingToken other = new FencingToken(1L << 53);

        assertThat(one).isNotEqualTo(other);
        assertThat(one.isNewerThan(other)).isTrue();
    }
}
