// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.kubernetes.apiserver.ApiServer;
import dev.tenure.kubernetes.apiserver.ApiServerPrograms;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is printed for a cluster, and what the examples hold, applied to a real API server. */
@Tag("server")
@Timeout(120)
class KubernetesTest {
    private static final Path EXAMPLES = Path.of("..", "examples", "kubernetes");
    private static final Duration SOON = Duration.ofSeconds(20);

    private static Optional<ApiServer> running = Optional.empty();

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        Optional<Path> program = ApiServerPrograms.apiServer();
        assumeTrue(
                program.isPresent(), "no kube-apiserver was built: run build-apiserver, which takes some minutes once");
        running = program.map(ApiServer::start);
        server().makeNamespace("billing");
    }

    @AfterAll
    static void stop() {
        running.ifPresent(ApiServer::close);
    }

    private static ApiServer server() {
        return running.orElseThrow();
    }

    private static String kubectl(String input, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                ApiServerPrograms.kubectl().orElseThrow().toString(),
                "--kubeconfig=" + server().kubeconfig(ApiServer.ADMIN),
                "--namespace=billing"));
        line.addAll(List.of(words));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said;
    }

    private static boolean may(String account, String verb, String lease) throws Exception {
        return kubectl("", "auth", "can-i", verb, lease, "--as=system:serviceaccount:billing:" + account)
                .startsWith("yes");
    }

    @Test
    void the_role_that_is_printed_for_one_election_allows_that_one_and_no_other() throws Exception {
        InProcess printed = InProcess.run(
                "kubernetes", "rbac", "--namespace", "billing", "--election", "sweeper", "--service-account", "one");

        assertThat(printed.code()).as(printed.err()).isZero();
        assertThat(kubectl(printed.out(), "apply", "-f", "-")).contains("role.rbac", "rolebinding.rbac");
        await().atMost(SOON).until(() -> may("one", "update", "leases/sweeper"));
        assertThat(may("one", "watch", "leases/tenure-era")).isTrue();
        assertThat(may("one", "create", "leases")).isTrue();
        assertThat(may("one", "update", "leases/another")).isFalse();
        assertThat(may("one", "delete", "leases/sweeper")).isFalse();
        assertThat(may("one", "get", "secrets")).isFalse();
    }

    @Test
    void the_role_for_sessions_allows_to_delete_leases_and_nothing_else() throws Exception {
        InProcess printed = InProcess.run(
                "kubernetes", "rbac", "--namespace", "billing", "--sessions", "--service-account", "many");

        assertThat(printed.code()).as(printed.err()).isZero();
        assertThat(kubectl(printed.out().replace("tenure-candidate", "tenure-sessions"), "apply", "-f", "-"))
                .contains("role.rbac", "rolebinding.rbac");
        await().atMost(SOON).until(() -> may("many", "delete", "leases/tenure-s-x"));
        assertThat(may("many", "delete", "secrets")).isFalse();
        assertThat(InProcess.run("kubernetes", "rbac", "--namespace", "billing", "--sessions", "--election", "a")
                        .err())
                .contains("leave --election out");
    }

    @Test
    void the_examples_are_accepted_by_an_api_server() throws Exception {
        for (String file : List.of("deployment.yaml", "role.yaml", "flowschema.yaml", "kustomization.yaml")) {
            // An old server knows a FlowSchema by its first version only.
            boolean old = !kubectl("", "api-versions").contains("flowcontrol.apiserver.k8s.io/v1\n");
            String text = Files.readString(EXAMPLES.resolve(file));
            Files.writeString(
                    folder.resolve(file),
                    old
                            ? text.replace(
                                    "flowcontrol.apiserver.k8s.io/v1\n", "flowcontrol.apiserver.k8s.io/v1beta1\n")
                            : text);
        }

        String said = kubectl("", "apply", "-k", folder.toString());

        assertThat(said)
                .contains("deployment.apps/billing-sweeper created")
                .contains("flowschema.flowcontrol.apiserver.k8s.io/tenure-leader-election created")
                .doesNotContain("error");
        await().atMost(SOON).until(() -> may("billing-sweeper", "update", "leases/billing-sweeper"));
    }

    @Test
    void verbs_work_on_a_cluster_and_say_what_is_wrong_with_it() {
        // The first request of a young JVM takes seconds on a busy machine.
        String options = "?timeout=1m&kubeconfig=" + server().kubeconfig(ApiServer.ADMIN);
        String url = "kubernetes://billing" + options;
        String nowhere = "kubernetes://nowhere" + options;

        InProcess era = InProcess.run("era", "show", "--url", url);
        InProcess status = InProcess.run("status", "sweeper", "--url", url);
        InProcess missing = InProcess.run("era", "show", "--url", nowhere);

        assertThat(era.out()).as(era.err()).startsWith("era 0 of store ");
        assertThat(status.code()).as(status.err()).isEqualTo(1);
        assertThat(missing.code()).isEqualTo(64);
        assertThat(missing.err()).contains("kubectl create namespace nowhere").hasLineCount(1);
    }

    @Test
    void kubectl_shows_the_holder_while_its_command_runs() throws Exception {
        String kubeconfig = server().kubeconfig(ApiServer.ADMIN).toString();
        String kubectl = ApiServerPrograms.kubectl().orElseThrow().toString();

        try (Cli cli = new Cli(folder)) {
            Cli.Call ran = cli.run(
                    "run",
                    "--id=pod-7",
                    "--url=kubernetes://billing?kubeconfig=" + kubeconfig,
                    "--election=runner",
                    "--",
                    kubectl,
                    "--kubeconfig=" + kubeconfig,
                    "--namespace=billing",
                    "get",
                    "lease",
                    "runner");

            assertThat(ran.exit()).as(ran.err()).isZero();
            assertThat(ran.out()).contains("HOLDER").containsPattern("runner +pod-7_[0-9a-f]+ ");
        }
    }

    @Test
    void what_cannot_be_a_name_is_refused() {
        assertThat(InProcess.run("kubernetes", "rbac").err()).contains("--namespace is missing");
        assertThat(InProcess.run("kubernetes", "rbac", "--namespace", "A").err())
                .contains("no name that Kubernetes allows");
        assertThat(InProcess.run("kubernetes", "rbac", "--namespace", "a", "--election", "a/b")
                        .err())
                .contains("kubectl get leases");
    }
}
