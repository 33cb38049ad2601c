// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.fakes.Scene;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A service that is switched on and off. */
class ActivePassiveTest {
    private final Scene scene = new Scene();
    private final ManualHost host = scene.host;
    private final Tenure a = scene.client("a");
    private final Service service = new Service();

    private static class Service implements ActivePassive {
        final List<String> calls = new ArrayList<>();
        Leadership leadership;
        Runnable meanwhile = () -> {};

        @Override
        public void warmUp() throws Exception {
            calls.add("warmUp");
        }

        @Override
        public void activate(Leadership begun) throws Exception {
            calls.add("activate");
            leadership = begun;
            meanwhile.run();
        }

        @Override
        public void deactivate(Loss loss) throws Exception {
            calls.add("deactivate " + loss.getClass().getSimpleName());
        }
    }

    @Test
    void it_warms_up_once_and_is_switched_on_and_off_with_each_term() {
        Candidacy candidacy = a.elect("x").run(service);
        host.advance(Duration.ofSeconds(1));
        candidacy.resign("deploy");
        host.advance(Duration.ofSeconds(20));
        candidacy.close();

        assertThat(service.calls)
                .containsExactly("warmUp", "activate", "deactivate Resigned", "activate", "deactivate Closed");
    }

    @Test
    void the_claim_is_kept_until_it_is_off() {
        Candidacy candidacy = a.elect("x").run(service);
        host.settle();
        host.holdEndings(true);
        candidacy.resign("deploy");
        host.advance(Duration.ofMillis(1500));
        assertThat(scene.store.peek("c/x").value()).contains("state=HELD");

        host.holdEndings(false);
        host.settle();

        assertThat(scene.store.peek("c/x").value()).contains("state=VACANT");
    }

    @Test
    void a_term_that_is_over_before_its_turn_comes_is_never_switched_on() {
        host.holdCalls(false);
        Candidacy candidacy = a.elect("x").run(service);
        host.settle();
        service.calls.clear();
        candidacy.resign("one");
        host.advance(Duration.ofSeconds(2));
        host.holdCalls(true); // the executor is busy: the next activation waits
        host.advance(Duration.ofSeconds(20));
        candidacy.resign("two");
        host.advance(Duration.ofMillis(500));
        host.holdCalls(false);
        host.settle();

        assertThat(service.calls).containsExactly("deactivate Resigned");
        assertThat(scene.events(TenureEvent.Lost.class)).hasSize(2);
        host.advance(Duration.ofSeconds(20));
        assertThat(service.calls).containsExactly("deactivate Resigned", "activate");
    }

    @Test
    void a_term_that_ends_while_it_is_being_switched_on_is_switched_off_once_it_is_on() {
        Candidacy candidacy = a.elect("x").run(service);
        service.meanwhile = () -> {
            candidacy.resign("deploy");
            host.settle();
            service.calls.add("is on");
        };

        host.settle();

        assertThat(service.calls).containsExactly("warmUp", "activate", "is on", "deactivate Resigned");
        assertThat(scene.events(TenureEvent.Lost.class)).hasSize(1);
    }

    @Test
    void an_activation_that_fails_ends_the_term_and_nothing_is_switched_off() {
        Service failing = new Service() {
            @Override
            public void activate(Leadership begun) throws Exception {
                calls.add("activate");
                throw new IllegalStateException("port taken");
            }
        };
        a.elect("x").coolDown(Duration.ofSeconds(5)).run(failing);
        host.advance(Duration.ofSeconds(1));

        assertThat(failing.calls).containsExactly("warmUp", "activate");
        assertThat(scene.events(TenureEvent.Lost.class).get(0).loss()).isInstanceOf(Loss.DutyFailed.class);
        host.advance(Duration.ofSeconds(5));
        assertThat(failing.calls).containsExactly("warmUp", "activate", "activate");
    }

    @Test
    void a_deactivation_that_fails_still_ends_the_term() {
        Service failing = new Service() {
            @Override
            public void deactivate(Loss loss) throws Exception {
                throw new IllegalStateException("stuck socket");
            }
        };
        Candidacy candidacy = a.elect("x").run(failing);
        host.settle();

        candidacy.close();

        assertThat(candidacy.standing()).isEqualTo(new Standing.Retired(new Loss.Closed()));
        assertThat(scene.store.peek("c/x").value()).contains("state=VACANT");
    }

    @Test
    void a_warm_up_that_fails_retires_before_anything_is_claimed() {
        Service failing = new Service() {
            @Override
            public void warmUp() {
                throw new IllegalStateException("no cache");
            }
        };
        Candidacy candidacy = a.elect("x").run(failing);
        host.advance(Duration.ofSeconds(1));

        assertThat(candidacy.standing())
                .isInstanceOfSatisfying(
                        Standing.Retired.class,
                        retired -> assertThat(retired.loss()).isInstanceOf(Loss.DutyFailed.class));
        assertThat(scene.store.keys("c/")).isEmpty();
        assertThat(scene.events(TenureEvent.Retired.class)).hasSize(1);
        Candidacy again = a.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(1));
        assertThat(again.isLeading()).isTrue();
    }

    @Test
    void it_costs_no_thread_while_it_is_on() {
        a.elect("x").run(service);
        host.advance(Duration.ofSeconds(1));

        assertThat(service.calls).contains("activate");
        assertThat(host.dutiesRunning()).isZero();
    }

    @Test
    void it_is_switched_off_when_the_session_is_lost() {
        a.elect("x").run(service);
        host.settle();
        scene.store.fateOfAll("", Fate.FAIL_UNKNOWN);
        host.advance(Duration.ofSeconds(20));

        assertThat(service.calls).containsExactly("warmUp", "activate", "deactivate Expired");
        assertThat(service.leadership.isValid()).isFalse();
    }
}
