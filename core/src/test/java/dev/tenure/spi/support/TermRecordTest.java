// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The newest term, as it is written into the store and read there by whoever comes next. */
class TermRecordTest {
    private static final TermRecord TERM = new TermRecord(
            new FencingToken(4_294_967_595L),
            true,
            "0x1f",
            Duration.ofSeconds(10),
            Instant.ofEpochMilli(1_700_000_000_000L));

    @Test
    void what_was_written_is_read_back() {
        assertThat(TermRecord.find(TERM.text())).contains(TERM);
    }

    @Test
    void its_text_is_the_same_in_every_version() {
        assertThat(TERM.text())
                .isEqualTo("tenure term 1\ntoken=4294967595\nstate=HELD\nsession=0x1f\nttlMillis=10000\n"
                        + "sinceMillis=1700000000000\n");
        assertThat(TERM.released().text()).contains("\nstate=RELEASED\n");
    }

    @Test
    void nobody_takes_over_from_itself() {
        assertThat(TERM.isHeldByAnother("0x2f")).isTrue();
        assertThat(TERM.isHeldByAnother("0x1f")).isFalse();
        assertThat(TERM.released().isHeldByAnother("0x2f")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"token", "state", "session", "ttlMillis", "sinceMillis"})
    void one_with_a_line_missing_is_none(String line) {
        assertThat(TermRecord.find(TERM.text().replace("\n" + line + "=", "\n")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"token=01", "token=-5", "state=held", "ttlMillis=1e3", "sinceMillis="})
    void one_with_a_line_that_nobody_of_ours_has_written_is_none(String line) {
        String name = line.substring(0, line.indexOf('=') + 1);
        assertThat(TermRecord.find(TERM.text().replaceFirst(name + ".*", line))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "tenure term 1", "tenure term 2\ntoken=1\n", "192.0.2.1"})
    void what_a_peer_has_written_is_none(String text) {
        assertThat(TermRecord.find(text)).isEmpty();
    }

    @Test
    void a_hostile_one_makes_nobody_wait_for_years() {
        String years = TERM.text().replace("ttlMillis=10000", "ttlMillis=" + Long.MAX_VALUE);
        String negative = TERM.text().replace("ttlMillis=10000", "ttlMillis=-1");

        assertThat(TermRecord.find(years).map(TermRecord::ttl)).isEqualTo(Optional.of(Duration.ofDays(1)));
        assertThat(TermRecord.find(negative).map(TermRecord::ttl)).isEqualTo(Optional.of(Duration.ZERO));
    }
}
