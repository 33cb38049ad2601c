// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.Tenure;
import dev.tenure.kubernetes.apiserver.ApiServer;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import dev.tenure.support.Ports;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is refused, missing or down, and the sentence that helps. */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
class TroubleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @Test
    void a_wrong_token_is_told_without_showing_it() {
        Path kubeconfig = SharedApiServer.get()
                .kubeconfig("stranger", SharedApiServer.get().port(), "no-token-of-theirs");

        assertThatThrownBy(() -> era("kubernetes://default?kubeconfig=" + kubeconfig))
                .hasMessageContaining("401")
                .hasMessageContaining("credentials")
                .hasMessageNotContaining("no-token-of-theirs");
    }

    @Test
    void a_missing_right_is_told_with_the_verb_that_prints_what_is_needed() {
        Path kubeconfig = SharedApiServer.get().kubeconfig(ApiServer.USER);

        assertThatThrownBy(() -> era("kubernetes://kube-public?kubeconfig=" + kubeconfig))
                .hasMessageContaining("403")
                .hasMessageContaining("tenure kubernetes rbac --namespace kube-public");
    }

    @Test
    void a_missing_namespace_is_told_with_the_command_that_makes_it() {
        Path kubeconfig = SharedApiServer.get().kubeconfig(ApiServer.ADMIN);

        assertThatThrownBy(() -> era("kubernetes://nowhere?kubeconfig=" + kubeconfig))
                .hasMessageContaining("kubectl create namespace nowhere");
    }

    @Test
    void a_server_that_is_not_there_is_unreachable() throws IOException {
        try (Socket nobody = Ports.refusing()) {
            Path kubeconfig = SharedApiServer.get().kubeconfig("x", nobody.getLocalPort(), "x");

            assertThatThrownBy(() -> era("kubernetes://default?kubeconfig=" + kubeconfig))
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            why -> assertThat(why.kind()).isEqualTo(BackendException.Kind.UNREACHABLE));
        }
    }

    private static void era(String url) {
        try (Tenure tenure = Tenure.connect(url).open()) {
            tenure.era().toCompletableFuture().join();
        } catch (CompletionException failure) {
            throw (RuntimeException) failure.getCause();
        }
    }

    @Test
    void a_url_that_cannot_work_is_refused_with_what_to_write(@TempDir Path folder) throws IOException {
        Path broken = Files.writeString(folder.resolve("broken"), "users: [{token: secret-of-mine\n");
        Path kubeconfig = SharedApiServer.get().kubeconfig(ApiServer.ADMIN);

        assertRefused("kubernetes://Big?kubeconfig=" + kubeconfig, "names no namespace");
        assertRefused("kubernetes://a/b?kubeconfig=" + kubeconfig, "names no namespace");
        assertRefused("kubernetes://a?kubeconfig=/nowhere", "cannot be read");
        assertRefused("kubernetes://a?kubeconfig=" + kubeconfig + "&context=none", "no context 'none'");
        assertRefused("kubernetes://a?kubeconfig=" + kubeconfig + "&timeout=2h", "at most 1m");
        assertRefused("kubernetes://a?kubeconfig=" + kubeconfig + "&sessions=maybe", "'maybe' must be true or false");
        assertThatThrownBy(() -> connect("kubernetes://a?kubeconfig=" + broken))
                .hasMessageContaining("cannot be used")
                .hasMessageNotContaining("secret-of-mine")
                .hasNoCause();
    }

    private static void assertRefused(String url, String why) {
        assertThatThrownBy(() -> connect(url)).hasMessageContaining(why);
    }

    private static void connect(String url) {
        Tenure.connect(url).open().close();
    }

    @Test
    void a_role_for_one_election_is_enough_to_lead_and_to_be_woken() {
        ApiServer server = SharedApiServer.get();
        server.makeNamespace("trouble-narrow");
        String url = "kubernetes://trouble-narrow?ttl=15s&kubeconfig=" + server.kubeconfig(ApiServer.USER);
        server.send("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/trouble-narrow/roles", Optional.of("""
                {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "narrow"}, "rules": [
                  {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create"]},
                  {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "resourceNames": ["sweeper", "tenure-era"],
                   "verbs": ["get", "list", "watch", "update"]}]}"""));
        server.send(
                "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/trouble-narrow/rolebindings", Optional.of("""
                {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "narrow"},
                 "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "narrow"},
                 "subjects": [{"kind": "User", "name": "candidate", "apiGroup": "rbac.authorization.k8s.io"}]}"""));
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            era(url);
            return true;
        });
        List<Leadership> terms = new CopyOnWriteArrayList<>();

        try (Tenure one = Tenure.connect(url).open();
                Tenure two = Tenure.connect(url).open()) {
            for (Tenure tenure : List.of(one, two)) {
                tenure.elect("sweeper").perform(leadership -> {
                    terms.add(leadership);
                    while (leadership.isActive()) {
                        leadership.rest(Duration.ofSeconds(1));
                    }
                });
            }
            await().atMost(PATIENCE).until(() -> terms.size() == 1);
            long begunNanos = System.nanoTime();

            two.askToResign("sweeper").toCompletableFuture().join();

            await().atMost(PATIENCE).until(() -> terms.size() >= 2);
            assertThat(Duration.ofNanos(System.nanoTime() - begunNanos))
                    .as("a watch has told it, and no TTL had to pass")
                    .isLessThan(Duration.ofSeconds(10));
        }
    }

    @Test
    void a_server_that_restarts_costs_no_term_and_its_watches_go_on() {
        try (ApiServer server = ApiServer.start(SharedApiServer.program())) {
            String url = "kubernetes://default?ttl=60s&kubeconfig=" + server.kubeconfig(ApiServer.ADMIN);
            List<FencingToken> terms = new CopyOnWriteArrayList<>();
            CompletableFuture<Void> end = new CompletableFuture<>();

            try (Tenure leader = Tenure.connect(url).open();
                    Tenure next = Tenure.connect(url).open()) {
                leader.elect("sweeper").perform(leadership -> {
                    terms.add(leadership.token());
                    end.join();
                });
                await().atMost(PATIENCE).until(() -> terms.size() == 1);
                next.elect("sweeper").perform(leadership -> terms.add(leadership.token()));

                server.restart();
                FencingToken kept = leader.leaderOf("sweeper")
                        .toCompletableFuture()
                        .join()
                        .orElseThrow()
                        .token();
                end.complete(null);

                await().atMost(PATIENCE).until(() -> terms.size() == 2);
                assertThat(kept).isEqualTo(terms.get(0));
                assertThat(terms.get(1)).isGreaterThan(terms.get(0));
            }
        }
    }

    @Test
    void options_that_are_not_known_are_refused() {
        assertThatThrownBy(() -> new KubernetesProvider().connect(BackendUrl.parse("kubernetes:?sesions=on"), null))
                .hasMessageContaining("unknown option 'sesions'");
    }
}
