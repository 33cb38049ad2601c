// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.TAKEOVER;
import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.fakes.Scene;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A duty that does not end within its drain budget. */
class OverduePolicyTest {
    private final Scene scene = new Scene();
    private final ManualHost host = scene.host;
    private final Tenure a = scene.client("a");
    private final Tenure b = scene.client("b");
    private final AtomicReference<Leadership> led = new AtomicReference<>();

    private Candidacy hang(OverduePolicy overdue) {
        Candidacy candidacy = a.elect("x").onOverdue(overdue).perform(leadership -> {
            led.set(leadership);
            scene.deaf().perform(leadership);
        });
        host.settle();
        assertThat(candidacy.isLeading()).isTrue();
        return candidacy;
    }

    @Test
    void keeping_the_claim_renews_on_and_lets_nobody_else_lead() {
        Candidacy stuck = hang(OverduePolicy.KEEP_CLAIM);
        Candidacy other = b.elect("x").perform(untilLost());
        stuck.resign("deploy");

        host.advance(TAKEOVER.multipliedBy(5));

        assertThat(other.isLeading()).isFalse();
        assertThat(stuck.standing()).isInstanceOf(Standing.Draining.class);
        assertThat(led.get().isActive()).isFalse();
        assertThat(led.get().isValid())
                .as("nobody else can lead, so it may still write")
                .isTrue();
        assertThat(scene.events(TenureEvent.DrainOverdue.class)).hasSize(1);
        assertThat(scene.events(TenureEvent.Lost.class)).isEmpty();
    }

    @Test
    void keeping_the_claim_holds_only_as_long_as_renewals_succeed() {
        Candidacy stuck = hang(OverduePolicy.KEEP_CLAIM);
        Candidacy other = b.elect("x").perform(untilLost());
        stuck.resign("deploy");
        host.advance(Duration.ofSeconds(5));
        scene.store.remove(scene.store.keys("s/").stream()
                .filter(key -> scene.store.peek(key).value().contains("node=a"))
                .findFirst()
                .orElseThrow());

        host.advance(TAKEOVER);

        assertThat(led.get().isValid()).isFalse();
        assertThat(other.isLeading()).isTrue();
        assertThat(stuck.standing()).isInstanceOf(Standing.Draining.class);
    }

    /** The store has told that the record is another's: nobody keeps anything by renewing on. */
    @Test
    void a_duty_that_hangs_after_its_record_was_taken_away_has_no_authority_left() {
        Candidacy stuck = hang(OverduePolicy.KEEP_CLAIM);
        scene.store.remove("c/x");
        Candidacy other = b.elect("x").perform(untilLost());

        host.advance(TAKEOVER.multipliedBy(5));

        assertThat(other.isLeading()).isTrue();
        assertThat(stuck.standing()).isInstanceOf(Standing.Draining.class);
        assertThat(led.get().isValid()).isFalse();
    }

    @Test
    void a_duty_that_is_draining_when_its_session_is_lost_has_no_authority_left() {
        Candidacy stuck = hang(OverduePolicy.KEEP_CLAIM);
        stuck.resign("deploy");
        host.settle();
        assertThat(led.get().isValid()).isTrue();

        scene.store.keys("s/").forEach(scene.store::remove);
        host.advance(Duration.ofSeconds(3)); // a heartbeat, and long before the deadline

        assertThat(scene.events(TenureEvent.SessionLost.class)).hasSize(1);
        assertThat(led.get().isValid()).isFalse();
    }

    @Test
    void letting_go_ends_validity_first_and_another_leads_while_the_duty_hangs() {
        Candidacy stuck = hang(OverduePolicy.RELEASE);
        Candidacy other = b.elect("x").perform(untilLost());
        host.settle();
        stuck.resign("deploy");
        host.advance(Duration.ofMillis(1990));
        assertThat(other.isLeading()).isFalse();
        assertThat(led.get().isValid()).isTrue();

        host.advance(Duration.ofMillis(50));

        assertThat(led.get().isValid()).isFalse();
        assertThat(other.isLeading()).isTrue();
        assertThat(stuck.standing()).isInstanceOf(Standing.Draining.class);
        assertThat(scene.events(TenureEvent.Lost.class))
                .as("its duty still runs")
                .isEmpty();
    }

    @Test
    void letting_go_is_repeated_until_the_store_has_heard_it() {
        Candidacy stuck = hang(OverduePolicy.RELEASE);
        Candidacy other = b.elect("x").perform(untilLost());
        host.settle();
        scene.store.fate("set c/x", Fate.DROP);
        scene.store.fate("set c/x", Fate.FAIL_NONE);
        stuck.resign("deploy");

        host.advance(Duration.ofSeconds(10));

        assertThat(other.isLeading()).isTrue();
    }

    @Test
    void halting_ends_the_process_when_the_budget_has_passed() {
        Candidacy stuck = hang(OverduePolicy.HALT);
        stuck.resign("deploy");
        host.advance(Duration.ofMillis(1999));
        assertThat(host.halts()).isEmpty();

        host.advance(Duration.ofMillis(1));

        assertThat(host.halts()).hasSize(1);
        assertThat(host.halts().get(0)).contains("x");
    }

    /** A thread needs a moment to hear that it shall end, and to say that it did. */
    @Test
    void a_service_without_a_budget_that_stops_when_it_is_told_does_not_halt_the_process() {
        Candidacy candidacy = a.elect("x")
                .drainWithin(Duration.ZERO)
                .onOverdue(OverduePolicy.HALT)
                .run(new ActivePassive() {
                    @Override
                    public void activate(Leadership leadership) {}

                    @Override
                    public void deactivate(Loss loss) {}
                });
        host.settle();
        assertThat(candidacy.isLeading()).isTrue();
        host.holdCalls(true);
        candidacy.resign("deploy");
        host.advance(Duration.ofMillis(1));

        host.holdCalls(false);
        host.settle();

        assertThat(host.halts()).isEmpty();
        assertThat(scene.events(TenureEvent.Lost.class)).hasSize(1);
        assertThat(scene.events(TenureEvent.DrainOverdue.class)).isEmpty();
    }

    @Test
    void a_duty_that_listens_is_asked_then_interrupted_and_never_overdue() {
        AtomicReference<Boolean> interrupted = new AtomicReference<>(false);
        Candidacy candidacy = a.elect("x").perform(leadership -> {
            try {
                host.signal().await(Duration.ofHours(1).toNanos());
            } catch (InterruptedException asked) {
                interrupted.set(true);
            }
        });
        host.settle();
        candidacy.resign("deploy");
        host.advance(Duration.ofMillis(999));
        assertThat(interrupted.get()).isFalse();

        host.advance(Duration.ofMillis(1));

        assertThat(interrupted.get()).isTrue();
        assertThat(scene.events(TenureEvent.DrainOverdue.class)).isEmpty();
        assertThat(scene.events(TenureEvent.Lost.class)).hasSize(1);
    }

    @Test
    void closing_a_client_with_a_stuck_duty_is_bounded_and_does_not_free_its_claim() {
        hang(OverduePolicy.KEEP_CLAIM);
        long before = host.nanos();

        a.close();

        Duration took = Duration.ofNanos(host.nanos() - before);
        assertThat(took).isLessThanOrEqualTo(Duration.ofMillis(2000 + 2 * 1500 + 1000 + 1500));
        assertThat(scene.store.peek("c/x").value()).contains("state=HELD");
        assertThat(led.get().isValid()).isFalse();
        assertThat(host.isShutDown()).isTrue();
    }

    @Test
    void closing_a_candidacy_with_a_stuck_duty_is_bounded_and_never_throws() {
        Candidacy stuck = hang(OverduePolicy.KEEP_CLAIM);
        long before = host.nanos();

        stuck.close();

        assertThat(Duration.ofNanos(host.nanos() - before)).isLessThanOrEqualTo(Duration.ofSeconds(7));
        assertThat(stuck.standing()).isInstanceOf(Standing.Draining.class);
    }
}
