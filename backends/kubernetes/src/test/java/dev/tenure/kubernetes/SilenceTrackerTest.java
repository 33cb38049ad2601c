package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SilenceTrackerTest {
    private static final long TTL = 1_000;

    private final SilenceTracker silence = new SilenceTracker();

    private static ElectionLease version(long number) {
        return new ElectionLease(
                ElectionName.of("sweeper"),
                Optional.of(new LeaseBuilder()
                        .withNewMetadata()
                        .withName("sweeper")
                        .withResourceVersion(Long.toString(number))
                        .endMetadata()
                        .withNewSpec()
                        .withHolderIdentity("client-go_1")
                        .endSpec()
                        .build()));
    }

    @Test
    void a_version_that_a_watch_tells_late_is_no_news() {
        silence.read(version(100), 0, 10);

        silence.observed(version(50), 20);

        assertThat(silence.isOutdated(version(50))).isTrue();
        assertThat(silence.silentAtNanos(version(100), TTL, 30)).isEqualTo(10 + TTL);
    }

    @Test
    void a_read_that_was_overtaken_by_a_watch_is_no_news() {
        silence.observed(version(100), 10);

        silence.read(version(50), 5, 20);

        assertThat(silence.isOutdated(version(50))).isTrue();
    }

    @Test
    void after_a_restore_a_holder_is_silent_once_its_lower_version_has_stayed() {
        silence.read(version(100), 0, 10);

        silence.read(version(50), 20, 30);
        silence.read(version(50), 500, 510);

        assertThat(silence.isOutdated(version(50))).isFalse();
        assertThat(silence.silentAtNanos(version(50), TTL, 600)).isEqualTo(30 + TTL);
    }
}
