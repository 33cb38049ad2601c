// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.etcd.cluster.Cluster;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.support.ChildProcesses;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the verbs say of a real etcd: of a leader that is no candidate of Tenure, and of the cluster itself. */
@Tag("server")
@Timeout(120)
class EtcdCommandsTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static Cluster cluster;

    @TempDir
    private Path folder;

    @BeforeAll
    static void startServer() {
        cluster = Cluster.start(EtcdServers.NEWEST, 1);
    }

    @AfterAll
    static void stopServer() {
        cluster.close();
    }

    private static String url() {
        return cluster.url("apps");
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private Process etcdctl(List<String> words) throws Exception {
        List<String> line =
                new ArrayList<>(List.of(cluster.servers().etcdctl().toString(), "--endpoints=" + cluster.endpoints()));
        line.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(words.get(0)).toFile());
        builder.environment().put("ETCDCTL_API", "3");
        Process process = builder.start();
        ChildProcesses.endWithThisJvm(process.toHandle());
        return process;
    }

    @Test
    void resign_says_that_etcdctl_elect_does_not_obey_and_how_to_end_it() throws Exception {
        Process elect = etcdctl(List.of("elect", "apps/elected", "by-hand"));
        await().atMost(SOON)
                .until(() -> Files.readString(folder.resolve("elect")).contains("by-hand"));

        InProcess resign = InProcess.run("resign", "elected", "--url", url());

        assertThat(resign.code()).isEqualTo(69);
        assertThat(resign.out()).isEmpty();
        assertThat(resign.err())
                .startsWith("tenure: elected is led by 'by-hand', which is no candidate of Tenure and obeys no request."
                        + " To end it, stop its process, or: etcdctl lease revoke ")
                .hasLineCount(1);
        assertThat(cluster.post("/v3/kv/range", "{\"key\":\"" + base64("apps/.request/elected") + "\"}"))
                .doesNotContain("kvs");
        String command =
                resign.err().substring(resign.err().indexOf("lease revoke")).strip();
        etcdctl(List.of(command.split(" "))).waitFor(30, TimeUnit.SECONDS);
        await().atMost(SOON)
                .until(() -> InProcess.run("status", "elected", "--url", url()).code() == 1);
        elect.destroyForcibly().waitFor();
    }

    @Test
    void a_single_member_is_said_by_status_and_at_the_start_of_run() throws Exception {
        String sentence = "The store has a single member: it does not survive the failure of that one.";

        InProcess status = InProcess.run("status", "--url", url());
        InProcess json = InProcess.run("status", "--url", url(), "--json");
        Cli.Call run;
        try (Cli cli = new Cli(folder)) {
            run = cli.run("run", "--url", url(), "--election", "single", "--", "true");
        }

        assertThat(status.out().lines().toList().get(1)).isEqualTo(sentence);
        assertThat(JsonText.object(json.out())).containsEntry("members", "1");
        assertThat(run.err()).containsOnlyOnce(sentence);
    }

    @Test
    void a_key_without_a_lease_is_not_shown_as_an_ordinary_leader() {
        cluster.post(
                "/v3/kv/put",
                "{\"key\":\"" + base64("apps/stuck/made") + "\",\"value\":\"" + base64("by-hand") + "\"}");
        String sentence = "stuck is held by 'by-hand' with no session or lease behind it, so it does not go by itself."
                + " Make sure that its holder has stopped, then: etcdctl del 'apps/stuck/made'";

        InProcess status = InProcess.run("status", "stuck", "--url", url());
        InProcess json = InProcess.run("status", "stuck", "--url", url(), "--json");
        InProcess resign = InProcess.run("resign", "stuck", "--url", url());

        assertThat(status.out()).endsWith(sentence + "\n");
        Map<String, Object> election =
                JsonText.list(JsonText.object(json.out()).get("elections")).get(0);
        assertThat(JsonText.map(election.get("leader")))
                .containsEntry("stuck", "true")
                .containsEntry("foreign", "true");
        assertThat(resign.code()).isEqualTo(69);
        assertThat(resign.err()).isEqualTo("tenure: " + sentence + "\n");
    }
}
