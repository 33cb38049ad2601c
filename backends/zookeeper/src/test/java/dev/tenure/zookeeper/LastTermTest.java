package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The newest term, as it is written into the znode of its election and read there by whoever comes next. */
class LastTermTest {
    private static final LastTerm TERM =
            new LastTerm(new FencingToken(4_294_967_595L), LastTerm.State.HELD, "0x1f", 10_000, 1_700_000_000_000L);

    private static String text(LastTerm term) {
        return new String(term.data(), StandardCharsets.UTF_8);
    }

    @Test
    void what_was_written_is_read_back() {
        assertThat(LastTerm.of(text(TERM))).contains(TERM);
    }

    @Test
    void it_is_a_record_like_every_other() {
        assertThat(RecordText.decode("tenure term 1", text(TERM)).map(record -> record.text("session")))
                .contains("0x1f");
    }

    @ParameterizedTest
    @ValueSource(strings = {"token", "state", "session", "ttlMillis", "sinceMillis"})
    void one_with_a_line_missing_is_none(String line) {
        assertThat(LastTerm.of(text(TERM).replace("\n" + line + "=", "\n"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"token=01", "token=-5", "state=held", "ttlMillis=1e3", "sinceMillis="})
    void one_with_a_line_that_nobody_of_ours_has_written_is_none(String line) {
        String name = line.substring(0, line.indexOf('=') + 1);
        assertThat(LastTerm.of(text(TERM).replaceFirst(name + ".*", line))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "tenure term 1", "tenure term 2\ntoken=1\n", "192.0.2.1"})
    void what_a_peer_has_written_is_none(String text) {
        assertThat(LastTerm.of(text)).isEmpty();
    }

    @Test
    void a_hostile_one_makes_nobody_wait_for_years() {
        String years = text(TERM).replace("ttlMillis=10000", "ttlMillis=" + Long.MAX_VALUE);
        String negative = text(TERM).replace("ttlMillis=10000", "ttlMillis=-1");

        assertThat(LastTerm.of(years).map(LastTerm::ttl)).isEqualTo(Optional.of(Lifetimes.TTL_MAX));
        assertThat(LastTerm.of(negative).map(LastTerm::ttl)).isEqualTo(Optional.of(Duration.ZERO));
    }
}
