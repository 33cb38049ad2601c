// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.simulator.script.ModelTarget;
import dev.tenure.simulator.script.Script;
import dev.tenure.simulator.script.ScriptRunner;
import dev.tenure.simulator.store.session.EtcdRules;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulator's model of etcd and real servers play the same scripts, and the same is seen. */
@Tag("server")
class ModelTest {
    /** The servers' own default. */
    private static final Duration ELECTION_TIMEOUT = Duration.ofSeconds(1);

    /** A script has the time of its TTLs for each step; servers on a busy machine may need longer, and play it again. */
    private static final int PLAYS_MAX = 3;

    private static EtcdCluster cluster;

    @BeforeAll
    static void start() {
        cluster = EtcdCluster.start(EtcdServers.NEWEST, 3);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void awaitServers() {
        cluster.awaitReady();
    }

    static Stream<Script> scripts() {
        return Stream.of(
                Script.lifetimes(
                        Duration.ofMillis(100),
                        Duration.ofSeconds(2),
                        Duration.ofMillis(2001),
                        Duration.ofMillis(9900)),
                Script.succession(Duration.ofSeconds(5)),
                Script.revocation(Duration.ofSeconds(5)),
                Script.expiry(Duration.ofSeconds(2)),
                Script.leaderChange(Duration.ofSeconds(5)),
                Script.refresh(Duration.ofSeconds(4)));
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void the_model_and_real_servers_show_the_same(Script script) {
        List<String> model;
        try (ModelTarget stage = new ModelTarget(new EtcdRules(ELECTION_TIMEOUT, false))) {
            model = ScriptRunner.of(script, stage);
        }

        List<String> real = play(script, 1);
        for (int play = 2; play <= PLAYS_MAX && !real.equals(model); play++) {
            cluster.awaitReady();
            real = play(script, play);
        }

        assertThat(real).as("etcd, line by line, against the model").isEqualTo(model);
    }

    private static List<String> play(Script script, int play) {
        try (EtcdStage stage = new EtcdStage(cluster, script.name().replace(' ', '-') + "-" + play)) {
            return ScriptRunner.of(script, stage);
        }
    }
}
