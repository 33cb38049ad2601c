// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.TTL;
import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.fakes.Quiet;
import dev.tenure.fakes.Scene;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Many callers of {@code exclusively} in one process, in manual time. */
class ExclusiveCallersTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SECOND = Duration.ofSeconds(1);

    static {
        Quiet.logs();
    }

    private final Scene scene = new Scene();
    private final ManualHost host = scene.host;
    private final Tenure a = scene.client("a");
    private final Tenure b = scene.client("b");
    private final List<String> order = new ArrayList<>();
    private final List<Long> tokens = new ArrayList<>();

    /** A thread of the user's own, and what came of its calls. */
    private final class Caller {
        private Optional<Throwable> failure = Optional.empty();
        private boolean returned;

        Caller(Task task) {
            host.runDuty("caller", () -> {
                try {
                    task.run();
                    returned = true;
                } catch (Throwable thrown) {
                    failure = Optional.of(thrown);
                }
            });
            host.settle();
        }
    }

    private interface Task {
        void run() throws Exception;
    }

    private Duty noting(String who, Duration work) {
        return leadership -> {
            order.add(who);
            tokens.add(leadership.token().value());
            leadership.rest(work);
        };
    }

    @Test
    void callers_of_one_client_are_served_in_the_order_in_which_they_came_each_with_a_term_of_its_own() {
        Caller first = new Caller(() -> {
            a.exclusively("x", LONG, noting("first", SECOND));
            a.exclusively("x", LONG, noting("first again", SECOND));
        });
        Caller second = new Caller(() -> a.exclusively("x", LONG, noting("second", SECOND)));
        Caller third = new Caller(() -> a.exclusively("x", LONG, noting("third", SECOND)));

        host.advance(TTL);

        assertThat(order).containsExactly("first", "second", "third", "first again");
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(first.returned && second.returned && third.returned).isTrue();
        assertThat(scene.store.peek("c/x").value()).contains("state=VACANT");
    }

    @Test
    void callers_in_different_elections_do_not_wait_for_each_other() {
        new Caller(() -> a.exclusively("x", LONG, noting("x", LONG)));
        new Caller(() -> a.exclusively("y", LONG, noting("y", LONG)));

        assertThat(order).containsExactly("x", "y");
    }

    @Test
    void the_time_limit_covers_the_local_queue_and_who_gives_up_is_not_waited_for() {
        new Caller(() -> a.exclusively("x", LONG, noting("first", SECOND.multipliedBy(5))));
        Caller impatient = new Caller(() -> a.exclusively("x", SECOND.multipliedBy(3), noting("impatient", SECOND)));
        Caller third = new Caller(() -> a.exclusively("x", LONG, noting("third", SECOND)));

        host.advance(SECOND.multipliedBy(4));
        assertThat(impatient.failure.orElseThrow())
                .isInstanceOf(TimeoutException.class)
                .hasMessage("not elected in x within 3000 ms: calls of this client that came earlier were not over in"
                        + " time");
        host.advance(TTL);

        assertThat(order).containsExactly("first", "third");
        assertThat(third.returned).isTrue();
    }

    @Test
    void a_caller_that_does_not_want_to_wait_is_told_that_it_was_not_elected() {
        b.elect("x").perform(untilLost());
        host.settle();

        Caller caller = new Caller(() -> a.exclusively("x", Duration.ZERO, noting("never", SECOND)));

        assertThat(caller.failure.orElseThrow())
                .isInstanceOf(TimeoutException.class)
                .hasMessage("not elected in x within 0 ms");
        assertThat(order).isEmpty();
    }

    @Test
    void a_body_that_fails_leaves_the_election_to_the_next_caller() {
        Caller failing = new Caller(() -> a.exclusively("x", LONG, leadership -> {
            leadership.rest(SECOND);
            throw new IllegalStateException("body");
        }));
        Caller next = new Caller(() -> a.exclusively("x", LONG, noting("next", SECOND)));

        host.advance(TTL);

        assertThat(failing.failure.orElseThrow()).hasMessage("body");
        assertThat(next.returned).isTrue();
    }

    @Test
    void the_next_caller_waits_until_the_store_has_confirmed_the_release_of_the_one_before() {
        Caller first = new Caller(() -> a.exclusively("x", LONG, noting("first", SECOND)));
        Caller second = new Caller(() -> a.exclusively("x", LONG, noting("second", SECOND)));
        scene.store.fateOfAll("set c/x", Fate.FAIL_NONE);

        host.advance(TTL.multipliedBy(2));
        boolean firstReturned = first.returned;
        List<String> ranMeanwhile = List.copyOf(order);
        scene.store.heal();
        host.advance(TTL);

        assertThat(firstReturned)
                .as("a store that does not answer keeps nobody for ever")
                .isTrue();
        assertThat(ranMeanwhile).containsExactly("first");
        assertThat(second.failure).isEmpty();
        assertThat(order).containsExactly("first", "second");
    }

    @Test
    void a_caller_whose_time_is_over_before_the_release_is_confirmed_is_told_so() {
        new Caller(() -> a.exclusively("x", LONG, noting("first", SECOND)));
        Caller second = new Caller(() -> a.exclusively("x", TTL, noting("second", SECOND)));
        scene.store.fateOfAll("set c/x", Fate.FAIL_NONE);

        host.advance(TTL.multipliedBy(2));

        assertThat(second.failure.orElseThrow())
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("has not confirmed");
    }

    @Test
    void another_process_that_can_only_poll_gets_its_turn_beside_a_queue_that_is_never_empty() {
        scene.store.polls();
        scene.store.mute();
        for (String caller : List.of("a1", "a2", "a3")) {
            new Caller(() -> {
                while (true) {
                    a.exclusively("x", LONG, noting(caller, SECOND));
                }
            });
        }
        Caller other = new Caller(() -> b.exclusively("x", TTL.multipliedBy(3), noting("b", SECOND)));

        host.advance(TTL.multipliedBy(3));
        int before = order.size();
        host.advance(TTL.multipliedBy(3));

        assertThat(other.failure).isEmpty();
        assertThat(order).contains("b");
        assertThat(order.size()).as("and the queue goes on").isGreaterThan(before);
    }

    @Test
    void a_queue_that_lets_others_go_first_goes_on_also_if_nobody_of_it_waits_as_long_as_that() {
        scene.store.polls();
        List<Long> ranAtNanos = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            new Caller(() -> {
                while (true) {
                    try {
                        a.exclusively("x", SECOND.multipliedBy(5), leadership -> {
                            ranAtNanos.add(host.nanos());
                            leadership.rest(SECOND);
                        });
                    } catch (TimeoutException again) {
                        order.add("timeout");
                    }
                }
            });
        }

        host.advance(TTL.multipliedBy(10));

        assertThat(order).as("some did not wait as long as that").isNotEmpty();
        assertThat(host.nanos() - ranAtNanos.get(ranAtNanos.size() - 1))
                .as("nanoseconds since the last run")
                .isLessThan(TTL.toNanos());
    }

    @Test
    void closing_the_client_tells_all_who_wait_whether_they_stand_or_queue() {
        b.elect("x").perform(untilLost());
        host.settle();
        Caller standing = new Caller(() -> a.exclusively("x", LONG, noting("standing", SECOND)));
        Caller queued = new Caller(() -> a.exclusively("x", LONG, noting("queued", SECOND)));
        host.advance(SECOND);

        a.close();
        host.settle();

        for (Caller caller : List.of(standing, queued)) {
            assertThat(caller.failure.orElseThrow())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed")
                    .hasMessageContaining("the body did not run");
        }
        assertThat(order).isEmpty();
    }

    @Test
    void closing_the_client_ends_a_body_that_runs_before_it_releases() {
        Caller running = new Caller(() -> a.exclusively("x", LONG, noting("running", LONG)));
        Caller queued = new Caller(() -> a.exclusively("x", LONG, noting("queued", SECOND)));

        a.close();
        host.settle();

        assertThat(running.failure.orElseThrow()).isInstanceOf(NotLeadingException.class);
        assertThat(queued.failure.orElseThrow()).hasMessageContaining("closed");
        assertThat(scene.store.peek("c/x").value()).contains("state=VACANT");
    }

    @Test
    void a_closed_client_refuses_at_once() {
        a.close();

        Caller late = new Caller(() -> a.exclusively("x", LONG, noting("late", SECOND)));

        assertThat(late.failure.orElseThrow())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this client is closed");
    }

    @Test
    void a_call_inside_a_body_of_the_same_election_is_refused_at_once_and_one_for_another_election_runs() {
        List<Throwable> refused = new ArrayList<>();
        Caller caller = new Caller(() -> a.exclusively("x", LONG, outer -> {
            a.exclusively("y", LONG, noting("y", SECOND));
            try {
                a.exclusively("x", LONG, noting("x", SECOND));
            } catch (IllegalStateException expected) {
                refused.add(expected);
            }
        }));

        host.advance(TTL);

        assertThat(caller.returned).isTrue();
        assertThat(order).containsExactly("y");
        assertThat(refused)
                .singleElement()
                .extracting(Throwable::getMessage)
                .asString()
                .contains("this thread already runs exclusively in election x");
    }

    @Test
    void a_duty_of_the_same_election_cannot_stand_beside_a_body() {
        new Caller(() -> a.exclusively("x", LONG, noting("running", LONG)));

        Caller standing = new Caller(() -> a.elect("x").perform(untilLost()));

        assertThat(standing.failure.orElseThrow())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("already stands in election x");
    }
}
