// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult.Status;

class RetryAfterStallTest {
    private static final List<String> NAMESPACES = new ArrayList<>();

    /** Two cases on stores in memory whose machine can be slow. */
    abstract static class Slow extends BackendContract {
        private final int failures;
        private final Duration renewalTook;

        Slow(int failures, Duration renewalTook) {
            this.failures = failures;
            this.renewalTook = renewalTook;
        }

        @Override
        protected StoreBinding connect(String namespace, Host host) {
            return new MemoryStore(new MemoryStore.Space(ExpiryDetection.SERVER_TIME, Wakeup.WATCH), host);
        }

        /** An hour: no machine that runs this test stands still for a good part of it by chance. */
        @Override
        protected Duration ttl() {
            return Duration.ofHours(1);
        }

        @Test
        void fails_at_first() {
            NAMESPACES.add(fixture().namespace());
            fixture().renewed(System.nanoTime() - renewalTook.toNanos());
            assertThat(NAMESPACES).hasSizeGreaterThan(failures);
        }
    }

    static class StoodStillTwice extends Slow {
        StoodStillTwice() {
            super(2, Duration.ofMinutes(13));
        }
    }

    static class NeverRight extends Slow {
        NeverRight() {
            super(Integer.MAX_VALUE, Duration.ofMinutes(13));
        }
    }

    static class WentOn extends Slow {
        WentOn() {
            super(1, Duration.ofMinutes(11));
        }
    }

    @BeforeEach
    void forgetNamespaces() {
        NAMESPACES.clear();
    }

    @Test
    void a_case_begins_again_in_a_new_namespace_if_its_machine_stood_still() {
        assertThat(verdict(StoodStillTwice.class)).isEqualTo(Status.SUCCESSFUL);
        assertThat(NAMESPACES).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void a_case_that_always_fails_has_failed_on_any_machine() {
        assertThat(verdict(NeverRight.class)).isEqualTo(Status.FAILED);
        assertThat(NAMESPACES).hasSize(3);
    }

    @Test
    void a_case_that_fails_on_a_machine_that_goes_on_has_no_second_chance() {
        assertThat(verdict(WentOn.class)).isEqualTo(Status.FAILED);
        assertThat(NAMESPACES).hasSize(1);
    }

    private static Status verdict(Class<?> suite) {
        return Optional.ofNullable(Verdicts.of(suite, List.of("fails_at_first")).get("fails_at_first"))
                .orElseThrow();
    }
}
