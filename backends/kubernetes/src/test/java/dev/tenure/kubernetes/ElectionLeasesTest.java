// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.spi.Host;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How long a holder has been silent. */
class ElectionLeasesTest {
    private static final long TTL = 1_000;

    private final AtomicLong nanos = new AtomicLong();
    private final ElectionLeases leases = new ElectionLeases(null, hostAt(nanos), null);

    private static Host hostAt(AtomicLong nanos) {
        return (Host) Proxy.newProxyInstance(
                ElectionLeasesTest.class.getClassLoader(), new Class<?>[] {Host.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("nanos");
                    return nanos.get();
                });
    }

    private void reads(long version, long askedNanos, long nowNanos) {
        nanos.set(nowNanos);
        leases.saw(version(version), askedNanos, true);
    }

    private void watches(long version, long nowNanos) {
        nanos.set(nowNanos);
        leases.observed(version(version));
    }

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
        reads(100, 0, 10);

        watches(50, 20);

        assertThat(leases.isOutdated(version(50))).isTrue();
        assertThat(leases.silentAtNanos(version(100), TTL)).isEqualTo(10 + TTL);
    }

    @Test
    void a_read_that_was_overtaken_by_a_watch_is_no_news() {
        watches(100, 10);

        reads(50, 5, 20);

        assertThat(leases.isOutdated(version(50))).isTrue();
    }

    @Test
    void after_a_restore_a_holder_is_silent_once_its_lower_version_has_stayed() {
        reads(100, 0, 10);

        reads(50, 20, 30);
        reads(50, 500, 510);

        assertThat(leases.isOutdated(version(50))).isFalse();
        assertThat(leases.silentAtNanos(version(50), TTL)).isEqualTo(30 + TTL);
    }
}
