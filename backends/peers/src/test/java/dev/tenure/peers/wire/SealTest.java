package dev.tenure.peers.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SealTest {
    private static final Secret KEY = Secret.of("a secret of sixteen".getBytes(StandardCharsets.UTF_8));

    private final Seal sender = new Seal(KEY);
    private final Seal receiver = new Seal(KEY);

    @Test
    void frames_come_out_as_they_went_in() throws Garbled {
        assertThat(receiver.open(sender.close(new byte[] {1}))).containsExactly(1);
        assertThat(receiver.open(sender.close(new byte[] {}))).isEmpty();
        assertThat(receiver.open(sender.close(new byte[] {2, 3}))).containsExactly(2, 3);
    }

    @Test
    void a_frame_that_is_said_twice_does_not_fit() throws Garbled {
        byte[] frame = sender.close(new byte[] {1});
        receiver.open(frame);

        assertThatThrownBy(() -> receiver.open(frame)).isInstanceOf(Garbled.class);
    }

    @Test
    void a_frame_that_was_left_out_is_noticed_by_the_next() {
        sender.close(new byte[] {1});
        byte[] second = sender.close(new byte[] {2});

        assertThatThrownBy(() -> receiver.open(second)).isInstanceOf(Garbled.class);
    }

    @Test
    void a_frame_with_any_bit_turned_does_not_fit() {
        byte[] frame = sender.close(new byte[] {1, 2, 3});

        for (int bit = 0; bit < frame.length * 8; bit++) {
            byte[] changed = frame.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);

            assertThatThrownBy(() -> new Seal(KEY).open(changed)).isInstanceOf(Garbled.class);
        }
    }

    @Test
    void garbage_is_garbage_whatever_its_length() {
        Random random = new Random(1);

        for (int i = 0; i < 2000; i++) {
            byte[] garbage = new byte[random.nextInt(200)];
            random.nextBytes(garbage);

            assertThatThrownBy(() -> new Seal(KEY).open(garbage)).isInstanceOf(Garbled.class);
        }
    }

    @Test
    void a_length_above_the_limit_takes_no_memory() {
        byte[] huge = {0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff, 1, 2, 3};
        byte[] negative = {(byte) 0xff, 0, 0, 0, 1};

        assertThatThrownBy(() -> Frames.read(new ByteArrayInputStream(huge), Frames.BYTES_MAX))
                .isInstanceOf(Garbled.class);
        assertThatThrownBy(() -> Frames.read(new ByteArrayInputStream(negative), Frames.BYTES_MAX))
                .isInstanceOf(Garbled.class);
    }

    @Test
    void a_secret_that_can_be_guessed_is_refused() {
        assertThatThrownBy(() -> Secret.of(new byte[15])).hasMessageContaining("openssl rand");
    }
}
