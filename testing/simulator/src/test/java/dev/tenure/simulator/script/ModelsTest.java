// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.simulator.store.session.EtcdRules;
import dev.tenure.simulator.store.session.StoreRules;
import dev.tenure.simulator.store.session.ZooKeeperRules;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the models make of the scripts; the tests of the backends compare it with the real stores. */
class ModelsTest {
    private static final StoreRules ETCD = new EtcdRules(Duration.ofSeconds(1), false);
    private static final StoreRules ZOOKEEPER = new ZooKeeperRules(Duration.ofMillis(200));
    private static final Duration TTL = Duration.ofSeconds(3);

    private static List<String> seen(Script script, StoreRules law) {
        try (ModelTarget stage = new ModelTarget(law)) {
            return ScriptRunner.of(script, stage);
        }
    }

    @Test
    void etcd_grants_whole_seconds_and_no_less_than_two() {
        List<String> seen = seen(Script.lifetimes(Duration.ofMillis(500), Duration.ofMillis(2100)), ETCD);

        assertThat(seen.get(0)).endsWith("granted 2000 ms");
        assertThat(seen.get(2)).endsWith("granted 3000 ms");
    }

    @Test
    void zookeeper_negotiates_between_two_and_twenty_ticks_and_the_holder_relies_on_less() {
        List<String> seen = seen(Script.lifetimes(Duration.ofMillis(100), TTL, Duration.ofSeconds(30)), ZOOKEEPER);

        assertThat(seen.get(0)).endsWith("granted 240 ms");
        assertThat(seen.get(2)).endsWith("granted 2320 ms");
        assertThat(seen.get(4)).endsWith("granted 3120 ms");
    }

    @Test
    void a_new_leader_of_the_store_gives_everybody_the_full_time_again() {
        for (StoreRules law : List.of(ETCD, ZOOKEEPER)) {
            List<String> seen = seen(Script.refresh(TTL), law);

            assertThat(seen.get(seen.size() - 1))
                    .endsWith("token grows, taken over, not before its time: true, within the bound: true");
        }
    }

    @Test
    void tokens_grow_although_the_place_of_the_election_vanishes() {
        assertThat(seen(Script.emptied(TTL), ZOOKEEPER)).noneMatch(line -> line.contains("NOT"));
    }

    @Test
    void a_session_that_is_revoked_is_told_and_the_next_one_leads() {
        List<String> seen = seen(Script.revocation(TTL), ETCD);

        assertThat(seen.get(5)).endsWith("told: true");
        assertThat(seen.get(6)).endsWith("token grows, taken over");
        assertThat(seen.get(7)).endsWith("gone");
    }
}
