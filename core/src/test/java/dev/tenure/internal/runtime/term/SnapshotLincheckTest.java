// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.term;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.internal.engine.Authority;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * What is read together belongs to one published state (S12), and what was lost stays lost, in every interleaving of two
 * threads. Each test has a twin with the fault in it, so that the check is known to see it.
 */
class SnapshotLincheckTest {
    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(10)
                .invocationsPerIteration(400)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .minimizeFailedScenario(false);
    }

    @Test
    void authority_is_read_as_it_was_published_and_never_half_of_it() {
        options().check(PublishedLease.class);
    }

    @Test
    void an_authority_in_several_fields_is_read_torn() {
        assertThatThrownBy(() -> options().check(TornLease.class)).isInstanceOf(LincheckAssertionError.class);
    }

    @Test
    void a_refused_term_never_becomes_valid_again_whatever_comes_at_the_same_time() {
        options().check(RefusedTerm.class);
    }

    @Test
    void a_stage_that_is_set_without_looking_brings_a_refused_term_back() {
        assertThatThrownBy(() -> options().check(CarelessTerm.class)).isInstanceOf(LincheckAssertionError.class);
    }

    /** Neither of the two states allows anything, one for each of its clocks; only a mixture of both would. */
    private static Authority expired() {
        return new Authority(StillHost.NANOS - 1, StillHost.NANOS - 10, StillHost.WALL, 1000, false);
    }

    private static Authority suspended() {
        return new Authority(StillHost.NANOS + 10, StillHost.NANOS - 10, StillHost.WALL - 5000, 1000, false);
    }

    /** The production lease: the loop publishes, any thread asks. */
    public static class PublishedLease {
        private final SharedAuthority lease = new SharedAuthority(new StillHost(), expired());

        @Operation(nonParallelGroup = "loop")
        public void publishExpired() {
            lease.publish(expired());
        }

        @Operation(nonParallelGroup = "loop")
        public void publishSuspended() {
            lease.publish(suspended());
        }

        @Operation
        public boolean isValid() {
            return lease.isValid();
        }

        @Operation
        public long remaining() {
            return lease.remainingNanos();
        }
    }

    /** The same with a field for each part. */
    public static class TornLease {
        private volatile long validUntilNanos = expired().validUntilNanos();
        private volatile long originWallMillis = expired().originWallMillis();

        private void publish(Authority authority) {
            validUntilNanos = authority.validUntilNanos();
            originWallMillis = authority.originWallMillis();
        }

        @Operation(nonParallelGroup = "loop")
        public void publishExpired() {
            publish(expired());
        }

        @Operation(nonParallelGroup = "loop")
        public void publishSuspended() {
            publish(suspended());
        }

        @Operation
        public boolean isValid() {
            return new Authority(validUntilNanos, StillHost.NANOS - 10, originWallMillis, 1000, false)
                    .allows(StillHost.NANOS, StillHost.WALL);
        }
    }

    /** The production leadership: the loop ends it while its duty is refused by a fence. */
    public static class RefusedTerm {
        private static final Term TERM = new Term(ElectionName.of("e"), new FencingToken(42), new Nonce(1, 1), "node");
        private final LeadershipHandle leadership = new LeadershipHandle(
                TERM,
                new SharedAuthority(
                        new StillHost(),
                        new Authority(StillHost.NANOS + 10, StillHost.NANOS, StillHost.WALL, 1000, false)),
                new StillHost(),
                RecordingOwner.SILENT);

        @Operation(nonParallelGroup = "loop")
        public void drain() {
            leadership.end(new Loss.Resigned("deploy"), false);
        }

        @Operation(nonParallelGroup = "loop")
        public void lose() {
            leadership.end(new Loss.SessionLost("gone"), true);
        }

        @Operation
        public void fenced() {
            leadership.fenced(new FencingToken(43));
        }

        @Operation
        public boolean isValid() {
            return leadership.isValid();
        }

        @Operation
        public boolean isActive() {
            return leadership.isActive();
        }
    }

    /** The same with a check and a set that are not one step. */
    public static class CarelessTerm {
        private volatile int stage;

        @Operation(nonParallelGroup = "loop")
        public void drain() {
            if (stage == 0) {
                stage = 1;
            }
        }

        @Operation
        public void fenced() {
            stage = 2;
        }

        @Operation
        public boolean isValid() {
            return stage != 2;
        }
    }
}
