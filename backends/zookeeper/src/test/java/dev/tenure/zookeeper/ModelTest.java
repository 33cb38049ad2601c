// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.simulator.script.ModelTarget;
import dev.tenure.simulator.script.Script;
import dev.tenure.simulator.script.ScriptRunner;
import dev.tenure.simulator.store.session.ZooKeeperRules;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulator's model of ZooKeeper and real servers play the same scripts, and the same is seen. */
@Tag("server")
class ModelTest {
    /** A script has the time of its TTLs for each step; servers on a busy machine may need longer, and play it again. */
    private static final int PLAYS_MAX = 3;

    private static Ensemble ensemble;

    @BeforeAll
    static void start() {
        // As ZooKeeper itself has it: at most twenty ticks.
        long mostMillis = Ensemble.TICK.multipliedBy(20).toMillis();
        ensemble = Ensemble.start(List.of("maxSessionTimeout=" + mostMillis), List.of());
    }

    @AfterAll
    static void stop() {
        ensemble.close();
    }

    @BeforeEach
    void awaitServers() {
        ensemble.awaitReady();
    }

    static Stream<Script> scripts() {
        return Stream.of(
                Script.lifetimes(
                        Duration.ofMillis(100), Duration.ofMillis(700), Duration.ofSeconds(3), Duration.ofSeconds(10)),
                Script.succession(Duration.ofSeconds(3)),
                Script.emptied(Duration.ofSeconds(3)),
                Script.expiry(Duration.ofSeconds(1)),
                Script.leaderChange(Duration.ofSeconds(4)),
                Script.refresh(Duration.ofSeconds(3)));
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void the_model_and_real_servers_show_the_same(Script script) {
        List<String> model;
        try (ModelTarget stage = new ModelTarget(new ZooKeeperRules(Ensemble.TICK))) {
            model = ScriptRunner.of(script, stage);
        }

        List<String> real = play(script, 1);
        for (int play = 2; play <= PLAYS_MAX && !real.equals(model); play++) {
            ensemble.awaitReady();
            real = play(script, play);
        }

        assertThat(real).as("ZooKeeper, line by line, against the model").isEqualTo(model);
    }

    private static List<String> play(Script script, int play) {
        String base = "/model-" + script.name().replace(' ', '-') + "-" + play;
        try (ZooKeeperStage stage = new ZooKeeperStage(ensemble, base)) {
            return ScriptRunner.of(script, stage);
        }
    }
}
