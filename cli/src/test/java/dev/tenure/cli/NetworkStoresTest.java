// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Candidates on stores in the network: asked to resign, killed, stopped. Each command appends lines to one file, and none of a
 * former leader's may follow those of its successor.
 */
@Tag("server")
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
class NetworkStoresTest {
    private static final String ELECTION = "hello";
    private static final String WRITER = "name=$0; echo \"$name token $TENURE_TOKEN\" >> log;"
            + " while :; do echo \"$name writes $TENURE_TOKEN\" >> log; sleep 0.02; done";
    /** Consul waits twice the TTL of three seconds; the rest is for a busy machine. */
    private static final Duration REPLACED_WITHIN = Duration.ofSeconds(30);

    private static final RealServers SERVERS = new RealServers();

    @TempDir
    private Path folder;

    @AfterAll
    static void stop() {
        SERVERS.close();
    }

    private List<String> lines() {
        return Cli.lines(folder.resolve("log"));
    }

    private static Cli.Call candidate(Cli cli, String name) {
        return cli.start(
                "run",
                "--best-effort",
                "--election",
                ELECTION,
                "--ttl",
                "3s",
                "--id",
                name,
                "--",
                "sh",
                "-c",
                WRITER,
                name);
    }

    /** @return the token of the newest term, which is this candidate's */
    private long awaitLeads(String name, long above) {
        await(name + " leads with a token above " + above)
                .atMost(REPLACED_WITHIN)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> newest(name) > above);
        return newest(name);
    }

    private long newest(String name) {
        return lines().stream()
                .filter(line -> line.startsWith(name + " token "))
                .mapToLong(NetworkStoresTest::token)
                .max()
                .orElse(0);
    }

    private static long token(String line) {
        return Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
    }

    private static Map<String, Object> leader(Cli cli) {
        Cli.Call status = cli.run("status", ELECTION, "--json");
        assertThat(status.exit()).as(status.err()).isZero();
        return JsonText.map(JsonText.list(JsonText.object(status.out()).get("elections"))
                .get(0)
                .get("leader"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"consul", "redis", "kubernetes", "kubernetes, sessions"})
    void one_leads_through_resignation_kill_and_stop_and_tokens_grow(String store) {
        try (Cli cli = new Cli(folder)) {
            cli.with("TENURE_URL", SERVERS.url(store));
            Cli.Call watch = cli.start("watch", ELECTION, "--json");
            Cli.Call a = candidate(cli, "a");
            long first = awaitLeads("a", 0);
            Cli.Call b = candidate(cli, "b");
            b.awaitErr("waiting");

            assertThat(leader(cli)).containsEntry("node", "a").containsEntry("token", Long.toString(first));
            cli.run("resign", ELECTION).mustExit(0);
            long second = awaitLeads("b", first);

            b.signal("KILL");
            long third = awaitLeads("a", second);

            Cli.Call c = candidate(cli, "c");
            c.awaitErr("waiting");
            a.signal("STOP");
            long fourth = awaitLeads("c", third);
            a.signal("CONT");
            watch.awaitOut(Long.toString(fourth));

            cli.run("era", "raise").mustExit(0);
            assertThat(cli.run("era", "show").out()).contains("1");
            c.signal("TERM");
            assertThat(c.exit()).isEqualTo(143);
            long fifth = awaitLeads("a", fourth);
            assertThat(fifth >> 48).as("the era of %s", fifth).isPositive();
            assertNeverTogether();
        }
    }

    /** Tokens never go back from one line to the next. */
    private void assertNeverTogether() {
        List<Long> tokens = new ArrayList<>(lines().stream()
                .filter(line -> line.contains(" token ") || line.contains(" writes "))
                .map(NetworkStoresTest::token)
                .toList());
        assertThat(tokens).isSorted();
    }
}
