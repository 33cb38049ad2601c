// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "0s,0",
        "1ms,1",
        "500ms,500",
        "10s,10000",
        "1m,60000",
        "90s,90000",
        "2h,7200000",
        "7d,604800000",
        "007s,7000"
    })
    void durations_are_read_as_people_write_them(String text, long millis) {
        assertThat(DurationText.parse("--ttl", text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @CsvSource({
        "0,0s",
        "1,1ms",
        "999,999ms",
        "1000,1s",
        "1500,1500ms",
        "59000,59s",
        "60000,1m",
        "90000,90s",
        "3600000,1h",
        "5400000,90m",
        "7200000,2h"
    })
    void durations_are_shown_in_the_largest_unit_that_is_exact(long millis, String text) {
        assertThat(DurationText.format(Duration.ofMillis(millis))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10",
                "s",
                "10 s",
                " 10s",
                "10s ",
                "-1s",
                "+1s",
                "1.5s",
                "1e3s",
                "10S",
                "10sec",
                "1m30s",
                "PT10S",
                "١s",
                "1000000000000s"
            })
    void anything_else_is_refused_with_the_name_of_the_setting_and_examples(String text) {
        assertThatThrownBy(() -> DurationText.parse("--ttl", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--ttl '" + text + "'")
                .hasMessageContaining("500ms, 10s, 1m, 2h or 7d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"36501d", "999999999999d", "999999999999h"})
    void what_is_longer_than_a_century_is_refused_before_it_overflows(String text) {
        assertThatThrownBy(() -> DurationText.parse("option ttl", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("option ttl '" + text + "' is longer than 36500d");
    }

    @Test
    void what_is_shown_reads_back_to_the_millisecond() {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 100_000; i++) {
            Duration duration = Duration.ofMillis(random.nextLong(1L << random.nextInt(1, 30)));

            assertThat(DurationText.parse("x", DurationText.format(duration))).isEqualTo(duration);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {999_999_999L, 1_000_000_001L, 31_536_000_001L})
    void a_long_odd_duration_reads_back_as_well(long millis) {
        Duration duration = Duration.ofMillis(millis);

        assertThat(DurationText.parse("x", DurationText.format(duration))).isEqualTo(duration);
    }
}
