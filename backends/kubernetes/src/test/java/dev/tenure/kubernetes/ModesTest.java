// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Tenure;
import dev.tenure.kubernetes.apiserver.ApiServer;
import dev.tenure.kubernetes.apiserver.ApiServerPrograms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One Lease for each election, or one renewal for all of a process: a namespace is used in one of these two modes. */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
class ModesTest {
    private static final String SESSIONS = "&sessions=on";
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @Test
    void tokens_go_on_growing_when_the_mode_is_switched_there_and_back() throws Exception {
        String url = SharedApiServer.url("modes-switched", "");
        List<FencingToken> tokens = new ArrayList<>();

        tokens.add(lead(url));
        annotateAsAdvised("modes-switched", refusal(url + SESSIONS));
        tokens.add(lead(url + SESSIONS));
        annotateAsAdvised("modes-switched", refusal(url));
        tokens.add(lead(url));

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void a_raised_era_holds_in_the_other_mode() throws Exception {
        String url = SharedApiServer.url("modes-era", SESSIONS);
        FencingToken before = lead(url);
        try (Tenure operator = Tenure.connect(url).open()) {
            operator.raiseEra().toCompletableFuture().join();
        }
        String other = SharedApiServer.url("modes-era", "");
        annotateAsAdvised("modes-era", refusal(other));

        FencingToken after = lead(other);

        assertThat(after.era()).isOne();
        assertThat(after).isGreaterThan(before);
    }

    @Test
    void while_an_election_runs_a_url_of_the_other_mode_is_refused() {
        String url = SharedApiServer.url("modes-running", "");
        CompletableFuture<FencingToken> led = new CompletableFuture<>();
        CompletableFuture<Void> end = new CompletableFuture<>();

        try (Tenure tenure = Tenure.connect(url).open()) {
            tenure.elect("sweeper").perform(leadership -> {
                led.complete(leadership.token());
                end.join();
            });
            await().atMost(PATIENCE).until(led::isDone);
            FencingToken token = led.join();

            assertThat(refusal(url + SESSIONS))
                    .contains("namespace modes-running is used with sessions=off")
                    .contains("stop every candidate");
            assertThatThrownBy(() -> look(url + SESSIONS))
                    .as("a process that only looks must not see that nobody leads")
                    .hasMessageContaining("sessions=off");
            assertThat(look(url).map(Leader::token)).contains(token);
            end.complete(null);
        }
    }

    private static FencingToken lead(String url) {
        CompletableFuture<FencingToken> led = new CompletableFuture<>();
        try (Tenure tenure = Tenure.connect(url).open()) {
            tenure.elect("sweeper").perform(leadership -> led.complete(leadership.token()));
            await().atMost(PATIENCE).until(led::isDone);
            return led.join();
        }
    }

    private static Optional<Leader> look(String url) {
        try (Tenure tenure = Tenure.connect(url).open()) {
            return tenure.leaderOf("sweeper").toCompletableFuture().join();
        }
    }

    private static String refusal(String url) {
        try (Tenure tenure = Tenure.connect(url).open()) {
            tenure.era().toCompletableFuture().join();
        } catch (CompletionException refused) {
            return refused.getCause().getMessage();
        }
        throw new AssertionError("not refused: " + url);
    }

    /** As people do: the words behind the colon are the command. */
    private static void annotateAsAdvised(String namespace, String refusal) throws IOException, InterruptedException {
        String advised = refusal.substring(refusal.indexOf(" kubectl ") + 1);
        List<String> command = new ArrayList<>(List.of(advised.split(" ")));
        assertThat(command).contains(namespace);
        command.set(0, ApiServerPrograms.kubectl().orElseThrow().toString());
        command.add("--kubeconfig=" + SharedApiServer.get().kubeconfig(ApiServer.ADMIN));
        Process kubectl = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(kubectl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(kubectl.waitFor()).as(said).isZero();
    }
}
