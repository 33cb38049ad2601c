// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.local.MachineClock.ClockReading;
import dev.tenure.local.RecordFile.Version;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordFileTest {
    private static final RecordFile RECORD = new RecordFile(
            "c/billing",
            new Version(7, "11111111-00000000000000ab"),
            Optional.of(new ClockReading(ManualClock.BOOT, "4026531834", 12_340)),
            Optional.of(Duration.ofSeconds(10)),
            "token 5\nnonce ü");

    @Test
    void it_is_text_that_a_person_can_read() {
        assertThat(new String(RECORD.encode(), StandardCharsets.UTF_8)).startsWith("""
                tenure local 1
                key c/billing
                version 7:11111111-00000000000000ab
                written 11111111-aaaa-bbbb-cccc-000000000001 4026531834 12340
                ttl 10000
                length 16

                token 5
                nonce ü
                sum """);
    }

    @Test
    void it_reads_back_what_was_written() throws RecordFile.Unreadable {
        RecordFile bare = new RecordFile(
                "e", new Version(1, "00000000-ffffffffffffffff"), Optional.empty(), Optional.empty(), "");

        assertThat(RecordFile.decode(RECORD.encode())).isEqualTo(RECORD);
        assertThat(RecordFile.decode(bare.encode())).isEqualTo(bare);
    }

    @Test
    void every_truncation_is_noticed() {
        byte[] whole = RECORD.encode();

        for (int length = 0; length < whole.length; length++) {
            byte[] torn = Arrays.copyOf(whole, length);
            byte[] zeroed = Arrays.copyOf(torn, whole.length);
            assertThatThrownBy(() -> RecordFile.decode(torn)).isInstanceOf(RecordFile.Unreadable.class);
            assertThatThrownBy(() -> RecordFile.decode(zeroed)).isInstanceOf(RecordFile.Unreadable.class);
        }
    }

    @Test
    void every_changed_byte_is_noticed() {
        byte[] whole = RECORD.encode();
        Random random = new Random(1);

        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= (byte) (1 + random.nextInt(255));
            assertThatThrownBy(() -> RecordFile.decode(damaged)).isInstanceOf(RecordFile.Unreadable.class);
        }
    }

    @Test
    void a_longer_file_is_noticed() {
        byte[] whole = RECORD.encode();
        byte[] longer = Arrays.copyOf(whole, whole.length + 1);

        assertThatThrownBy(() -> RecordFile.decode(longer)).isInstanceOf(RecordFile.Unreadable.class);
    }

    @Test
    void a_time_to_live_that_cannot_be_is_noticed() {
        for (Duration ttl : new Duration[] {Duration.ZERO, Duration.ofHours(24).plusMillis(1), Duration.ofDays(11)}) {
            RecordFile odd = new RecordFile("s/x", RECORD.version(), RECORD.written(), Optional.of(ttl), "");
            assertThatThrownBy(() -> RecordFile.decode(odd.encode()))
                    .isInstanceOf(RecordFile.Unreadable.class)
                    .hasMessageContaining("time to live");
        }
    }
}
