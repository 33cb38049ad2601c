// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Leadership;
import dev.tenure.Tenure;
import dev.tenure.kubernetes.apiserver.ApiServer;
import dev.tenure.kubernetes.apiserver.ApiServerPrograms;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** In one election with other electors of Kubernetes, and what they leave in a Lease. */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
class InteropTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final int ROUNDS = 10;

    private final ApiServer server = SharedApiServer.get();

    @Test
    void fabric8_and_tenure_hand_leadership_back_and_forth_ten_times() throws Exception {
        String url = SharedApiServer.url("interop-fabric8", "&ttl=2s");
        AtomicBoolean fabric8Leads = new AtomicBoolean();
        List<FencingToken> tokens = new ArrayList<>();

        try (KubernetesClient client = client();
                Tenure tenure = Tenure.connect(url).open()) {
            for (int round = 0; round < ROUNDS; round++) {
                CompletableFuture<?> fabric8 =
                        elector(client, "interop-fabric8", "sweeper", "peer-" + round, fabric8Leads);
                await().atMost(PATIENCE).until(fabric8Leads::get);
                AtomicReference<Leadership> term = new AtomicReference<>();
                AtomicBoolean together = new AtomicBoolean();
                Candidacy candidacy = tenure.elect("sweeper").perform(leadership -> {
                    together.set(fabric8Leads.get());
                    term.set(leadership);
                    while (leadership.isActive()) {
                        leadership.rest(Duration.ofSeconds(1));
                    }
                });
                await("somebody foreign is shown")
                        .atMost(PATIENCE)
                        .until(() -> tenure.leaderOf("sweeper")
                                .toCompletableFuture()
                                .join()
                                .flatMap(Leader::foreign)
                                .isPresent());

                fabric8.cancel(true);
                await("Tenure leads").atMost(PATIENCE).until(() -> term.get() != null);
                tokens.add(term.get().token());
                assertThat(together).as("while fabric8 led").isFalse();
                candidacy.close();
            }
        }

        assertThat(tokens).hasSize(ROUNDS).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void an_elector_that_stands_under_the_name_of_a_record_by_mistake_waits() throws Exception {
        String url = SharedApiServer.url("interop-sessions", "&sessions=on&ttl=5s");
        AtomicBoolean fabric8Leads = new AtomicBoolean();
        CompletableFuture<Leadership> led = new CompletableFuture<>();

        try (KubernetesClient client = client();
                Tenure tenure = Tenure.connect(url).open()) {
            tenure.elect("sweeper").perform(leadership -> {
                led.complete(leadership);
                while (leadership.isActive()) {
                    leadership.rest(Duration.ofSeconds(1));
                }
            });
            await().atMost(PATIENCE).until(led::isDone);
            Leadership term = led.join();
            CompletableFuture<?> fabric8 =
                    elector(client, "interop-sessions", LeaseNames.ofKey("c/sweeper"), "peer", fabric8Leads);

            await().during(Duration.ofSeconds(6)).atMost(PATIENCE).untilFalse(fabric8Leads);
            fabric8.cancel(true);
            assertThat(term.isValid()).isTrue();
        }
    }

    private KubernetesClient client() {
        File kubeconfig = server.kubeconfig(ApiServer.ADMIN).toFile();
        return new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig))
                .build();
    }

    private static CompletableFuture<?> elector(
            KubernetesClient client, String namespace, String lease, String identity, AtomicBoolean leads) {
        return client.leaderElector()
                .withConfig(new LeaderElectionConfigBuilder()
                        .withName(identity)
                        .withLeaseDuration(Duration.ofSeconds(2))
                        .withRenewDeadline(Duration.ofMillis(1500))
                        .withRetryPeriod(Duration.ofMillis(200))
                        .withReleaseOnCancel(true)
                        .withLock(new LeaseLock(namespace, lease, identity))
                        .withLeaderCallbacks(
                                new LeaderCallbacks(() -> leads.set(true), () -> leads.set(false), leader -> {}))
                        .build())
                .build()
                .start();
    }

    @Test
    void kubectl_shows_the_holder() throws Exception {
        String url = SharedApiServer.url("interop-kubectl", "&ttl=5s&node=pod-7");
        CountDownLatch leads = new CountDownLatch(1);

        try (Tenure tenure = Tenure.connect(url).open()) {
            tenure.elect("sweeper").perform(leadership -> {
                leads.countDown();
                leadership.rest(Duration.ofMinutes(1));
            });
            leads.await();
            Path kubectl = ApiServerPrograms.kubectl().orElseThrow();
            Process shown = new ProcessBuilder(
                            kubectl.toString(),
                            "--kubeconfig=" + server.kubeconfig(ApiServer.ADMIN),
                            "--namespace=interop-kubectl",
                            "get",
                            "lease",
                            "sweeper")
                    .redirectErrorStream(true)
                    .start();

            String text = new String(shown.getInputStream().readAllBytes(), "UTF-8");

            assertThat(text).contains("HOLDER").contains("pod-7_");
        }
    }

    @Test
    void a_lease_with_nulls_in_every_field_is_free() {
        assertLeads("interop-nulls", "{}");
    }

    @Test
    void a_lease_without_a_spec_is_free() {
        assertLeads("interop-no-spec", "null");
    }

    @Test
    void a_lease_that_the_official_client_has_released_is_free() {
        assertLeads("interop-official", "{\"leaseDurationSeconds\":15,\"leaseTransitions\":3}");
    }

    @Test
    void a_lease_that_client_go_has_released_is_free() {
        assertLeads(
                "interop-client-go",
                "{\"holderIdentity\":\"\",\"leaseDurationSeconds\":1,\"leaseTransitions\":3,"
                        + "\"acquireTime\":\"2020-01-01T00:00:00.000000Z\",\"renewTime\":\"2020-01-01T00:00:00.000000Z\"}");
    }

    @Test
    void a_silent_holder_is_judged_by_our_own_clock_and_never_by_its_times() {
        // Its renewal says that it is years old, and yet a TTL has to pass here first.
        long begunNanos = System.nanoTime();

        assertLeads("interop-old", "{\"holderIdentity\":\"camel\",\"renewTime\":\"2020-01-01T00:00:00.000000Z\"}");

        assertThat(Duration.ofNanos(System.nanoTime() - begunNanos)).isGreaterThan(Duration.ofSeconds(2));
    }

    private void assertLeads(String namespace, String spec) {
        String url = SharedApiServer.url(namespace, "&ttl=2s");
        String lease =
                "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"sweeper\"},"
                        + "\"spec\":" + spec + "}";
        assertThat(server.send("POST", leases(namespace), Optional.of(lease)).statusCode())
                .isEqualTo(201);
        CompletableFuture<FencingToken> led = new CompletableFuture<>();

        try (Tenure tenure = Tenure.connect(url).open()) {
            tenure.elect("sweeper").perform(leadership -> led.complete(leadership.token()));

            await().atMost(PATIENCE).until(led::isDone);
        }
    }

    static String leases(String namespace) {
        return "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases";
    }

    @Test
    void a_foreign_holder_that_blanks_our_lease_ends_the_term_and_the_next_one_has_a_higher_token() {
        String url = SharedApiServer.url("interop-blanked", "&ttl=10s");
        List<Leadership> terms = new java.util.concurrent.CopyOnWriteArrayList<>();

        try (Tenure tenure = Tenure.connect(url).open()) {
            tenure.elect("sweeper").perform(leadership -> {
                terms.add(leadership);
                while (leadership.isActive()) {
                    leadership.rest(Duration.ofSeconds(1));
                }
            });
            await().atMost(PATIENCE).until(() -> terms.size() == 1);
            // Also if the first renewal, which notes the token, comes between: this patch names no version.
            server.send(
                    "PATCH",
                    leases("interop-blanked") + "/sweeper",
                    Optional.of("{\"spec\":{\"holderIdentity\":\"\",\"leaseDurationSeconds\":1}}"));

            await().atMost(PATIENCE).until(() -> terms.size() == 2);
        }

        assertThat(terms.get(0).isValid()).isFalse();
        assertThat(terms.get(1).token()).isGreaterThan(terms.get(0).token());
    }

    @Test
    void a_lease_that_was_deleted_by_hand_is_not_made_anew_by_a_renewal() {
        String url = SharedApiServer.url("interop-deleted", "&ttl=4s");
        List<Leadership> terms = new java.util.concurrent.CopyOnWriteArrayList<>();

        try (Tenure tenure = Tenure.connect(url).open()) {
            tenure.elect("sweeper").perform(leadership -> {
                terms.add(leadership);
                while (leadership.isActive()) {
                    leadership.rest(Duration.ofSeconds(1));
                }
            });
            await().atMost(PATIENCE).until(() -> terms.size() == 1);

            server.send("DELETE", leases("interop-deleted") + "/sweeper", Optional.empty());

            await().atMost(PATIENCE).until(() -> terms.size() == 2);
        }

        assertThat(terms.get(0).isValid()).isFalse();
        assertThat(terms.get(1).token()).isGreaterThan(terms.get(0).token());
    }
}
