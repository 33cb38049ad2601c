// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.kubernetes.apiserver.ApiServer;
import dev.tenure.spi.BackendUrl;
import dev.tenure.support.ChildProcesses;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where server, namespace and credentials come from. */
class ConfigurationTest {
    @TempDir
    private Path folder;

    @Test
    void the_context_of_a_url_chooses_server_credentials_and_namespace() throws IOException {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: first
                contexts:
                - {name: first, context: {cluster: one, user: one, namespace: red}}
                - {name: second, context: {cluster: two, user: two, namespace: blue}}
                clusters:
                - {name: one, cluster: {server: "https://one.example:6443"}}
                - {name: two, cluster: {server: "https://two.example:6443"}}
                users: [{name: one, user: {token: of-one}}, {name: two, user: {token: of-two}}]
                """);

        KubernetesSettings current = settings("kubernetes:?kubeconfig=" + kubeconfig);
        KubernetesSettings chosen = settings("kubernetes:?context=second&kubeconfig=" + kubeconfig);
        KubernetesSettings named = settings("kubernetes://green?context=second&kubeconfig=" + kubeconfig);

        assertThat(current.namespace()).isEqualTo("red");
        assertThat(current.config().getMasterUrl()).startsWith("https://one.example:6443");
        assertThat(current.config().getAutoOAuthToken()).isEqualTo("of-one");
        assertThat(chosen.namespace()).isEqualTo("blue");
        assertThat(chosen.config().getMasterUrl()).startsWith("https://two.example:6443");
        assertThat(chosen.config().getAutoOAuthToken()).isEqualTo("of-two");
        assertThat(named.namespace()).isEqualTo("green");
        assertThat(named.toString()).isEqualTo("kubernetes namespace green at https://two.example:6443/");
    }

    private static KubernetesSettings settings(String url) {
        return KubernetesSettings.of(BackendUrl.parse(url));
    }

    @Test
    @Tag("server")
    void a_pod_needs_no_settings_and_reads_its_token_again_when_it_is_not_accepted() throws Exception {
        ApiServer server = SharedApiServer.get();
        server.makeNamespace("configuration-pod");
        Path namespace = Files.writeString(folder.resolve("namespace"), "configuration-pod");
        Path token = Files.writeString(folder.resolve("token"), "one-that-has-expired");

        Process pod = pod(Map.of(
                "KUBERNETES_SERVICE_HOST", "127.0.0.1",
                "KUBERNETES_SERVICE_PORT", Integer.toString(server.port()),
                "KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN", token.toString(),
                "KUBERNETES_CERTS_CA_FILE", server.authority().toString(),
                "KUBENAMESPACE", namespace.toString(),
                "HOME", folder.toString()));
        try (BufferedReader said = pod.inputReader(StandardCharsets.UTF_8)) {
            assertThat(lineWith("(401)", said)).contains("credentials").doesNotContain("one-that-has-expired");
            Path rotated = Files.writeString(folder.resolve("rotated"), ApiServer.token(ApiServer.ADMIN));
            Files.move(rotated, token, StandardCopyOption.ATOMIC_MOVE); // as the kubelet does

            assertThat(lineWith("leads", said)).isNotEmpty();
            assertThat(server.send("GET", InteropTest.leases("configuration-pod") + "/sweeper", Optional.empty())
                            .body())
                    .contains("pod-7_");
        } finally {
            ChildProcesses.kill(pod);
        }
    }

    private static Process pod(Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PodCandidate.class.getName())
                .redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process started = builder.start();
        ChildProcesses.endWithThisJvm(started.toHandle());
        return started;
    }

    /** The process ends the stream when it ends. */
    private static String lineWith(String text, BufferedReader said) throws IOException {
        StringBuilder all = new StringBuilder();
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.contains(text)) {
                return line;
            }
            all.append(line).append('\n');
        }
        throw new AssertionError("it has never said '" + text + "': " + all);
    }
}
