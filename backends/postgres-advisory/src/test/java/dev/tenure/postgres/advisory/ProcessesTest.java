// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Leadership;
import dev.tenure.Tenure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A leader in a process of its own, that is killed and stopped. */
@Tag("server")
class ProcessesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(process -> process.destroyForcibly().onExit().join());
    }

    private BufferedReader leader(String url, Duration ttl, int elections) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LeaderMain.class.getName(),
                        url,
                        Long.toString(ttl.toMillis()),
                        Integer.toString(elections))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        processes.add(process);
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static Map<String, Leadership> stand(Tenure tenure, int elections) {
        Map<String, Leadership> led = new ConcurrentHashMap<>();
        for (int i = 0; i < elections; i++) {
            String election = "shard/" + i;
            var unused = tenure.elect(election).perform(leadership -> {
                led.put(election, leadership);
                leadership.rest(Duration.ofHours(1));
            });
        }
        return led;
    }

    /** With a TTL of ten minutes it is not expiry that hands over. */
    @ParameterizedTest
    @ValueSource(ints = {1, 40})
    void a_leader_that_is_killed_is_followed_at_once_in_all_its_elections(int elections) throws Exception {
        Duration ttl = Duration.ofMinutes(10);
        String url = AdvisoryServer.url("killed" + elections);
        BufferedReader told = leader(url, ttl, elections);
        for (int i = 0; i < elections; i++) {
            assertThat(told.readLine()).startsWith("leads");
        }
        try (Tenure tenure = Tenure.connect(url).ttl(ttl).open()) {
            Map<String, Leadership> led = stand(tenure, elections);
            await().until(() -> tenure.leaderOf("shard/" + (elections - 1))
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS)
                    .isPresent());
            assertThat(led).isEmpty();

            processes.get(0).destroyForcibly();

            await().atMost(PATIENCE).untilAsserted(() -> assertThat(led).hasSize(elections));
        }
    }

    @Test
    void a_leader_that_is_stopped_loses_to_the_server_and_knows_it_when_it_goes_on() throws Exception {
        // Long enough that the leader is stopped while it leads, and not while it ends a term that a busy machine cost
        // it.
        Duration ttl = Duration.ofSeconds(5);
        String url = AdvisoryServer.url("stopped");
        BufferedReader told = leader(url, ttl, 1);
        long first = Long.parseLong(told.readLine().split(" ")[1]);
        try (Tenure tenure = Tenure.connect(url).ttl(ttl).open()) {
            Map<String, Leadership> led = stand(tenure, 1);

            signal("-STOP");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(led).hasSize(1));
            signal("-CONT");

            assertThat(led.get("shard/0").token().value()).isGreaterThan(first);
            assertThat(told.readLine()).as("and whether it believed so").isEqualTo("lost false");
            assertThat(led.get("shard/0").isValid()).isTrue();
        }
    }

    private void signal(String signal) throws Exception {
        long pid = processes.get(0).pid();
        assertThat(new ProcessBuilder("kill", signal, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }
}
