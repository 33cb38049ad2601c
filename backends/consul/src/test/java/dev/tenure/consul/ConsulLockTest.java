// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.Tenure;
import dev.tenure.consul.servers.ConsulCluster;
import dev.tenure.consul.servers.ConsulProgram;
import dev.tenure.spi.ClaimReply;
import dev.tenure.support.ChildProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In one election with {@code consul lock}. */
@Tag("server")
class ConsulLockTest {
    private static final int HANDOVERS = 10;
    private static final Duration SOON = Duration.ofSeconds(30);
    /** Runs until it is told to stop, and leaves a mark if ours runs as well. */
    private static final String CHILD = """
            touch theirs
            until [ -e stop ]; do
                [ ! -e ours ] || touch both
                sleep 0.02
            done
            rm theirs
            """;

    @TempDir
    private Path folder;

    private final ConsulCluster cluster = SharedServers.cluster();
    private final String prefix = "peer-" + UUID.randomUUID().toString().substring(0, 8);
    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    private boolean is(String file) {
        return Files.exists(folder.resolve(file));
    }

    private Process consulLock() throws IOException {
        Process process = new ProcessBuilder(
                        ConsulProgram.path().toString(),
                        "lock",
                        "-http-addr=http://" + cluster.nodes().get(0).endpoint(),
                        prefix + "/sweeper",
                        CHILD)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(Files.createDirectories(folder.resolve("logs"))
                        .resolve("log")
                        .toFile()))
                .start();
        ChildProcesses.endWithThisJvm(process.toHandle());
        started.add(process);
        return process;
    }

    @Test
    void leadership_goes_back_and_forth_ten_times_and_the_two_children_never_run_together() throws Exception {
        try (Tenure tenure =
                Tenure.connect(cluster.url(prefix)).ttl(Duration.ofSeconds(2)).open()) {
            List<Long> tokens = new ArrayList<>();
            Candidacy ours = tenure.elect("sweeper").perform(leadership -> {
                tokens.add(leadership.token().value());
                Path mark = Files.createFile(folder.resolve("ours"));
                while (leadership.isActive()) {
                    if (is("theirs")) {
                        Files.createFile(folder.resolve("both"));
                    }
                    leadership.rest(Duration.ofMillis(10));
                }
                Files.delete(mark);
            });
            await("ours leads first").atMost(SOON).until(() -> is("ours"));
            for (int i = 0; i < HANDOVERS; i++) {
                Process peer = consulLock();
                await("consul lock waits")
                        .atMost(SOON)
                        .until(() -> Keys.sessions(cluster).stream()
                                .anyMatch(session ->
                                        String.valueOf(session.get("Name")).contains("at '" + prefix)));
                ours.resign("handover");
                await("theirs runs").atMost(SOON).until(() -> is("theirs"));
                Files.createFile(folder.resolve("stop"));
                assertThat(peer.waitFor(20, TimeUnit.SECONDS)).isTrue();
                await("ours leads again").atMost(SOON).until(() -> is("ours"));
                Files.delete(folder.resolve("stop"));
            }

            assertThat(is("both")).isFalse();
            assertThat(tokens).hasSize(HANDOVERS + 1).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void consul_lock_is_shown_as_a_leader_of_another_program() throws Exception {
        try (Client client = new Client(cluster.url(prefix) + "?timeout=20s")) {
            consulLock();
            await().atMost(SOON).until(() -> is("theirs"));
            ElectionName election = ElectionName.of("sweeper");

            Leader shown =
                    client.ask(() -> client.backend().read(election)).leader().orElseThrow();
            Client.Seat seat = client.open(Duration.ofSeconds(10));
            ClaimReply.Waiting waiting = (ClaimReply.Waiting) seat.claim(election, seat.nonce());

            assertThat(waiting.holder()).contains(shown);
            assertThat(shown.foreign().orElseThrow().remedy()).contains("/v1/session/destroy/");
            Files.createFile(folder.resolve("stop"));
            await().atMost(SOON)
                    .until(() -> seat.claim(election, seat.nonce()) instanceof ClaimReply.Granted granted
                            && granted.token().compareTo(shown.token()) > 0);
        }
    }
}
