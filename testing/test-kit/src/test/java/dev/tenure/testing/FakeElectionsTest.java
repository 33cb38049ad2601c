// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.FencingToken;
import dev.tenure.LeaderWatch;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Standing;
import dev.tenure.TenureEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FakeElectionsTest {
    private static final Logger LOG = Logger.getLogger("dev.tenure");

    private final Set<Thread> threadsBefore = threads();
    private final FakeElections elections = FakeElections.create();
    private final List<String> did = new ArrayList<>();

    @BeforeAll
    static void be_quiet() {
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void no_thread_is_left_behind() {
        elections.close();
        elections.close();

        assertThat(threads()).isSubsetOf(threadsBefore);
    }

    @Test
    void bodies_run_exclusively_on_the_threads_of_the_test_and_of_duties() throws Exception {
        List<Thread> threads = new ArrayList<>();
        CompletableFuture<Thread> duty = new CompletableFuture<>();
        elections.node("a").elect("sweeper").perform(leadership -> {
            elections.node("a").tenure().exclusively("lock", ofMinutes(1), body -> {
                duty.complete(Thread.currentThread());
                body.rest(ofSeconds(5));
                did.add("duty");
            });
            did.add("released");
        });
        elections.advance(ofSeconds(1));

        elections.node("a").tenure().exclusively("lock", ofMinutes(1), body -> {
            threads.add(Thread.currentThread());
            body.rest(ofSeconds(5));
            did.add("test");
        });

        assertThat(did).containsSubsequence("duty", "test").contains("released");
        assertThat(threads).containsExactly(Thread.currentThread()).doesNotContain(duty.join());
    }

    @Test
    void exactly_one_of_three_nodes_leads_and_says_so() {
        for (String node : List.of("a", "b", "c")) {
            elections.node(node).elect("sweeper").perform(this::workUntilLost);
        }
        assertThat(elections.leaderOf("sweeper")).isEmpty();

        elections.advance(ofSeconds(1));

        assertThat(elections.leaderOf("sweeper")).isPresent();
        assertThat(elections.leaderOf("another")).isEmpty();
        assertThat(did).containsExactly(elections.leaderOf("sweeper").orElseThrow() + " starts");
    }

    @Test
    void a_paused_leader_is_replaced_before_it_wakes_up() {
        elections.node("a").elect("sweeper").perform(this::workUntilLost);
        elections.node("b").elect("sweeper").perform(this::workUntilLost);
        elections.advance(ofSeconds(1));
        String first = elections.leaderOf("sweeper").orElseThrow();
        FencingToken firstToken = elections.highestToken("sweeper");

        elections.pauseNode(first);
        elections.advance(ofSeconds(30));
        String second = elections.leaderOf("sweeper").orElseThrow();
        assertThat(second).isNotEqualTo(first);
        elections.resumeNode(first);
        assertThat(elections.leaderOf("sweeper")).contains(second);
        elections.advance(ofSeconds(1));

        assertThat(elections.leaderOf("sweeper")).contains(second);
        assertThat(elections.highestToken("sweeper").isNewerThan(firstToken)).isTrue();
        assertThat(did).containsExactly(first + " starts", second + " starts", first + " stops");
    }

    @Test
    void a_crashed_leader_is_replaced_and_its_duty_never_runs_again() {
        elections.node("a").elect("sweeper").perform(this::workUntilLost);
        elections.advance(ofSeconds(1));
        elections.node("b").elect("sweeper").perform(this::workUntilLost);

        elections.crashNode("a");
        assertThat(elections.leaderOf("sweeper")).isEmpty();
        elections.advance(ofMinutes(1));

        assertThat(elections.leaderOf("sweeper")).contains("b");
        assertThat(did).containsExactly("a starts", "b starts");
    }

    @Test
    void a_restarted_node_is_a_new_process_that_stands_only_when_told() {
        elections.node("a").elect("sweeper").perform(this::workUntilLost);
        elections.advance(ofSeconds(1));
        FencingToken before = elections.highestToken("sweeper");

        FakeNode again = elections.restartNode("a");
        elections.advance(ofMinutes(1));
        assertThat(elections.leaderOf("sweeper")).isEmpty();
        assertThat(elections.node("a")).isSameAs(again);
        again.elect("sweeper").perform(this::workUntilLost);
        elections.advance(ofMinutes(1));

        assertThat(elections.leaderOf("sweeper")).contains("a");
        assertThat(elections.highestToken("sweeper").isNewerThan(before)).isTrue();
    }

    @Test
    void a_leader_that_is_cut_off_stops_before_another_starts_and_stands_again_when_healed() {
        elections.node("a").elect("sweeper").perform(this::workUntilLost);
        elections.advance(ofSeconds(1));
        elections.node("b").elect("sweeper").perform(this::workUntilLost);
        elections.advance(ofSeconds(1));

        elections.cutOff("a");
        elections.advance(ofMinutes(1));
        assertThat(did).containsExactly("a starts", "a stops", "b starts");
        elections.heal("a");
        elections.crashNode("b");
        elections.advance(ofMinutes(1));

        assertThat(elections.leaderOf("sweeper")).contains("a");
    }

    @Test
    void a_handover_after_a_resignation_takes_milliseconds() {
        Candidacy a = elections.node("a").elect("sweeper").perform(this::workUntilLost);
        elections.advance(ofSeconds(1));
        elections.node("b").elect("sweeper").perform(this::workUntilLost);
        elections.advance(ofSeconds(1));

        a.resign("deploy");
        elections.advance(ofMillis(100));

        assertThat(elections.leaderOf("sweeper")).contains("b");
        assertThat(did).containsExactly("a starts", "a stops", "b starts");
    }

    @Test
    void a_duty_that_returns_is_complete() {
        Candidacy once = elections.node("a").elect("migration").perform(leadership -> did.add("migrated"));
        CompletableFuture<Loss> retired = once.retired().toCompletableFuture();

        elections.advance(ofSeconds(5));

        assertThat(retired).isCompletedWithValue(new Loss.Completed());
        assertThat(did).containsExactly("migrated");
        assertThat(elections.leaderOf("migration")).isEmpty();
    }

    @Test
    void a_leader_whose_machine_slept_stands_again_and_is_not_taken_for_complete() {
        Candidacy laptop = elections.node("laptop").elect("sweeper").perform(this::workUntilLost);
        elections.advance(ofSeconds(1));

        elections.node("laptop").host().suspend();
        elections.advance(ofMinutes(10));
        elections.node("laptop").host().resume();
        elections.advance(ofMinutes(1));

        assertThat(laptop.standing()).isInstanceOf(Standing.Leading.class);
        assertThat(did).containsExactly("laptop starts", "laptop stops", "laptop starts");
    }

    @Test
    void a_duty_that_fails_is_tried_again() {
        elections.node("a").elect("sweeper").perform(leadership -> {
            did.add("tried");
            throw new IllegalStateException("not yet");
        });

        elections.advance(ofMinutes(1));

        assertThat(did).hasSizeGreaterThan(3);
        assertThat(elections.log()).anyMatch(line -> line.contains("not yet"));
    }

    @Test
    void a_service_is_switched_on_and_off() {
        Candidacy a = elections.node("a").elect("feed").run(service("a"));
        elections.advance(ofSeconds(1));
        elections.node("b").elect("feed").run(service("b"));
        elections.advance(ofSeconds(1));
        assertThat(a.standing()).isInstanceOf(Standing.Leading.class);

        a.resign("deploy");
        elections.advance(ofSeconds(1));

        assertThat(did).containsExactly("a warm", "a on", "b warm", "a off: deploy", "b on");
    }

    @Test
    void the_test_may_wait_for_leadership_and_close_in_virtual_time() throws Exception {
        Candidacy a = elections.node("a").elect("sweeper").perform(this::workUntilLost);

        assertThat(a.awaitLeading(ofMinutes(1))).isTrue();
        a.close();

        assertThat(a.standing()).isEqualTo(new Standing.Retired(new Loss.Closed()));
        assertThat(did).containsExactly("a starts", "a stops");
        assertThat(elections.time().nanos()).isLessThan(ofSeconds(1).toNanos());
    }

    @Test
    void listeners_and_watchers_hear_of_it_in_order() {
        List<TenureEvent> events = new ArrayList<>();
        elections.node("a").tenure().onEvent(events::add);
        LeaderWatch watch = elections.node("observer").observe("sweeper");
        List<String> seen = new ArrayList<>();
        watch.onChange(
                change -> seen.add(change.to().map(leader -> leader.node()).orElse("nobody")));

        Candidacy a = elections.node("a").elect("sweeper").perform(this::workUntilLost);
        elections.advance(ofSeconds(5));
        a.close();
        elections.advance(ofSeconds(5));

        assertThat(events)
                .extracting(event -> event.getClass().getSimpleName())
                .containsSubsequence("SessionOpened", "Elected", "DrainBegan", "Lost", "Retired");
        assertThat(seen).containsSubsequence("a", "nobody");
        assertThat(elections.log()).isNotEmpty();
    }

    @Test
    void a_callback_may_rest_and_close_what_called_it() {
        Candidacy a = elections.node("a").elect("sweeper").perform(leadership -> {
            leadership.onLoss(loss -> did.add("told of " + loss.getClass().getSimpleName()));
            workUntilLost(leadership);
        });
        elections.node("a").tenure().onEvent(event -> {
            if (event instanceof TenureEvent.Elected) {
                a.close();
                did.add("closed");
            }
        });

        elections.advance(ofSeconds(5));

        assertThat(did).containsExactlyInAnyOrder("a starts", "told of Closed", "a stops", "closed");
        assertThat(a.standing()).isInstanceOf(Standing.Retired.class);
    }

    @Test
    void a_duty_that_does_not_stop_is_ended_with_the_world() {
        elections.node("a").elect("sweeper").perform(leadership -> {
            while (true) {
                try {
                    elections.node("a").host().signal().await(Long.MAX_VALUE);
                } catch (InterruptedException ignored) {
                    did.add("ignored");
                }
            }
        });
        elections.advance(ofSeconds(1));

        elections.close();

        assertThat(did).containsOnly("ignored");
    }

    @Test
    void the_token_of_an_election_that_nobody_led_is_a_mistake_of_the_test() {
        assertThatThrownBy(() -> elections.highestToken("sweeper")).hasMessageContaining("advance time first");
        assertThatThrownBy(() -> elections.pauseNode("x")).hasMessageContaining("no node x");
    }

    @Test
    void the_same_seed_gives_the_same_run_to_the_last_event() {
        List<String> logs = new ArrayList<>();
        Set<Long> fingerprints = new HashSet<>();
        for (int run = 0; run < 3; run++) {
            try (FakeElections world = FakeElections.create(7)) {
                story(world);
                logs.add(String.join("\n", world.log()));
                fingerprints.add(world.time().fingerprint());
            }
        }

        assertThat(logs.get(0)).contains("Elected").contains("DrainBegan");
        assertThat(Set.copyOf(logs)).hasSize(1);
        assertThat(fingerprints).hasSize(1);
    }

    @Test
    void other_seeds_give_other_runs() {
        Set<List<String>> leaders = new HashSet<>();
        Set<Long> fingerprints = new HashSet<>();
        for (long seed = 1; seed <= 30; seed++) {
            try (FakeElections world = FakeElections.create(seed)) {
                leaders.add(story(world));
                fingerprints.add(world.time().fingerprint());
            }
        }

        assertThat(fingerprints).hasSizeGreaterThan(20);
        assertThat(leaders).hasSizeGreaterThan(1);
    }

    /** Returns who led one after the other. */
    private static List<String> story(FakeElections world) {
        List<String> names = List.of("a", "b", "c");
        for (String name : names) {
            world.node(name).elect("sweeper").perform(leadership -> {
                while (leadership.isActive()) {
                    leadership.rest(ofSeconds(1));
                }
            });
        }
        world.advance(ofSeconds(1));
        List<String> leaders = new ArrayList<>();
        leaders.add(world.leaderOf("sweeper").orElseThrow());
        world.pauseNode(leaders.get(0));
        world.advance(ofSeconds(30));
        names.forEach(world::resumeNode);
        leaders.add(world.leaderOf("sweeper").orElseThrow());
        world.cutOff(leaders.get(1));
        world.advance(ofSeconds(30));
        names.forEach(world::heal);
        leaders.add(world.leaderOf("sweeper").orElseThrow());
        world.crashNode(leaders.get(2));
        world.advance(ofMinutes(1));
        leaders.add(world.leaderOf("sweeper").orElseThrow());
        return leaders;
    }

    private void workUntilLost(Leadership leadership) throws InterruptedException {
        did.add(leadership.term().holder() + " starts");
        while (leadership.isActive()) {
            leadership.rest(ofSeconds(1));
        }
        did.add(leadership.term().holder() + " stops");
    }

    private ActivePassive service(String node) {
        return new ActivePassive() {
            @Override
            public void warmUp() {
                did.add(node + " warm");
            }

            @Override
            public void activate(Leadership leadership) {
                did.add(node + " on");
            }

            @Override
            public void deactivate(Loss loss) {
                did.add(node + " off: " + (loss instanceof Loss.Resigned resigned ? resigned.why() : loss));
            }
        };
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && !thread.getName().startsWith("junit"))
                .collect(Collectors.toSet());
    }
}
