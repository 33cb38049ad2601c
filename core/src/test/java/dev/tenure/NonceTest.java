// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NonceTest {
    @Test
    void a_nonce_is_written_as_32_hex_digits_with_its_leading_zeros() {
        assertThat(new Nonce(0, 0)).hasToString("00000000000000000000000000000000");
        assertThat(new Nonce(1, 0xabcL)).hasToString("00000000000000010000000000000abc");
        assertThat(new Nonce(-1, Long.MIN_VALUE)).hasToString("ffffffffffffffff8000000000000000");
    }

    @Test
    void every_nonce_reads_back_from_its_text() {
        SplittableRandom random = new SplittableRandom(7);

        for (int i = 0; i < 100_000; i++) {
            Nonce nonce = new Nonce(random.nextLong() >>> random.nextInt(64), random.nextLong() >>> random.nextInt(64));

            assertThat(Nonce.parse(nonce.toString())).isEqualTo(nonce);
        }
    }

    @Test
    void the_two_halves_are_not_interchangeable() {
        assertThat(new Nonce(1, 2)).isNotEqualTo(new Nonce(2, 1));
        assertThat(new Nonce(1, 2).toString()).isNotEqualTo(new Nonce(2, 1).toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "0000000000000000000000000000000",
                "000000000000000000000000000000000",
                "0000000000000000000000000000000G",
                "0000000000000000000000000000000A",
                "-0000000000000000000000000000001",
                "+0000000000000000000000000000001",
                " 0000000000000000000000000000000",
                "００００００００００００００００００００００００００００００００"
            })
    void anything_but_32_lower_case_hex_digits_is_refused(String text) {
        assertThatThrownBy(() -> Nonce.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("32 hex digits");
    }
}
