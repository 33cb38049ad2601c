// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.OperatorRequest;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ElectionLeaseTest {
    private static final ElectionName SWEEPER = ElectionName.of("sweeper");
    private static final ZonedDateTime NOW = ElectionLease.time(1_700_000_000_000L, 0);

    private static TermNote note(long token) {
        TermNote.Shown shown = new TermNote.Shown("pod-7", Instant.EPOCH, LeaderMetadata.EMPTY);
        return new TermNote(0, token, 0, new Nonce(1, 2), "pod-7_abc", shown);
    }

    private static ElectionLease stored(Lease lease, String version) {
        Lease shown = new LeaseBuilder(lease)
                .editMetadata()
                .withResourceVersion(version)
                .endMetadata()
                .build();
        return new ElectionLease(SWEEPER, Optional.of(shown));
    }

    private static ElectionLease absent() {
        return new ElectionLease(SWEEPER, Optional.empty());
    }

    private static ElectionLease taken() {
        return stored(absent().taken(note(0), Duration.ofSeconds(15), NOW), "42");
    }

    @Test
    void a_term_that_has_not_noted_its_token_has_that_of_its_write() {
        ElectionLease lease = taken();

        assertThat(lease.tokenMax()).isEqualTo(FencingToken.of(0, 42).value());
        assertThat(lease.leader(() -> new FencingToken(1)).orElseThrow().node()).isEqualTo("pod-7");
        assertThat(lease.leader(() -> new FencingToken(1)).orElseThrow().foreign())
                .isEmpty();
    }

    @Test
    void a_released_term_keeps_its_token_and_is_not_blanked() {
        ElectionLease released = stored(taken().vacated(NOW), "43");

        assertThat(released.isVacant()).isTrue();
        assertThat(released.isBlanked()).isFalse();
        assertThat(released.tokenMax()).isEqualTo(FencingToken.of(0, 42).value());
        assertThat(released.lease().orElseThrow().getSpec().getLeaseDurationSeconds())
                .isEqualTo(1);
        assertThat(released.lease().orElseThrow().getSpec().getRenewTime()).isNotNull();
        assertThat(released.lease().orElseThrow().getSpec().getAcquireTime()).isNotNull();
    }

    @Test
    void a_holder_that_somebody_else_removed_is_blanked() {
        Lease blank = new LeaseBuilder(taken().lease().orElseThrow())
                .editSpec()
                .withHolderIdentity("")
                .endSpec()
                .build();

        assertThat(stored(blank, "43").isBlanked()).isTrue();
    }

    @Test
    void a_holder_that_the_note_does_not_name_is_foreign() {
        Lease foreign = new LeaseBuilder(taken().lease().orElseThrow())
                .editSpec()
                .withHolderIdentity("client-go_1")
                .endSpec()
                .build();

        Leader leader = stored(foreign, "43").leader(() -> new FencingToken(7)).orElseThrow();

        assertThat(leader.foreign()).isPresent();
        assertThat(leader.node()).isEqualTo("client-go_1");
        assertThat(leader.token()).isEqualTo(new FencingToken(7));
    }

    @Test
    void what_others_wrote_into_a_lease_stays() {
        Lease other = new LeaseBuilder()
                .withNewMetadata()
                .withName("sweeper")
                .withAnnotations(Map.of("team", "billing"))
                .endMetadata()
                .withNewSpec()
                .withStrategy("OldestEmulationVersion")
                .withPreferredHolder("candidate-2")
                .withLeaseTransitions(3)
                .endSpec()
                .build();

        Lease next = stored(other, "5").taken(note(0), Duration.ofSeconds(15), NOW);

        assertThat(next.getMetadata().getAnnotations()).containsEntry("team", "billing");
        assertThat(next.getSpec().getStrategy()).isEqualTo("OldestEmulationVersion");
        assertThat(next.getSpec().getPreferredHolder()).isEqualTo("candidate-2");
        assertThat(next.getSpec().getLeaseTransitions()).isEqualTo(4);
    }

    @Test
    void a_coordinator_that_prefers_another_is_heard_only_with_a_strategy() {
        LeaseBuilder lease = new LeaseBuilder()
                .withNewMetadata()
                .withName("sweeper")
                .endMetadata()
                .withNewSpec()
                .withPreferredHolder("candidate-2")
                .endSpec();

        ElectionLease without = stored(lease.build(), "5");
        ElectionLease with = stored(
                lease.editSpec()
                        .withStrategy("OldestEmulationVersion")
                        .endSpec()
                        .build(),
                "6");

        assertThat(without.prefersAnother("pod-7_abc")).isEmpty();
        assertThat(with.prefersAnother("pod-7_abc")).contains("candidate-2");
        assertThat(with.prefersAnother("candidate-2")).isEmpty();
    }

    @Test
    void a_write_of_somebody_else_notes_the_token_of_a_term_that_has_not() {
        OperatorRequest request =
                new OperatorRequest(SWEEPER, OperatorRequest.Verb.RESIGN, FencingToken.of(0, 42), "ops");

        ElectionLease asked = stored(taken().requesting(request), "43");
        ElectionLease moved = stored(taken().moved(NOW), "43");

        assertThat(asked.request()).contains(request);
        assertThat(asked.tokenMax()).isEqualTo(FencingToken.of(0, 42).value());
        assertThat(moved.term().orElseThrow().token())
                .isEqualTo(FencingToken.of(0, 42).value());
        assertThat(stored(asked.withoutRequest(), "44").request()).isEmpty();
    }

    @Test
    void a_lease_of_another_election_is_corrupt() {
        Lease other = taken().lease().orElseThrow();

        assertThatThrownBy(() -> new ElectionLease(ElectionName.of("other"), Optional.of(other)))
                .isInstanceOfSatisfying(
                        BackendException.class, why -> assertThat(why.kind()).isEqualTo(BackendException.Kind.CORRUPT));
    }

    @Test
    void a_version_that_makes_no_token_is_refused() {
        assertThatThrownBy(() -> ElectionLease.versionNumber("abc")).isInstanceOf(BackendException.class);
        assertThatThrownBy(() -> ElectionLease.versionNumber("281474976710656")).isInstanceOf(BackendException.class);
        assertThat(ElectionLease.versionNumber("281474976710655")).isEqualTo(281474976710655L);
    }
}
