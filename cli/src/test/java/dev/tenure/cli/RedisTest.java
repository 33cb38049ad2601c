// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.redis.servers.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command line on Redis. */
@Tag("server")
@Timeout(60)
class RedisTest {
    private static RedisServer server;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        server = RedisServer.running("--requirepass", "secret");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String url() {
        return "redis://:secret@" + server.address() + "?ttl=2s";
    }

    @Test
    void a_command_runs_on_redis_only_if_best_effort_is_wanted() throws Exception {
        try (Cli cli = new Cli(folder)) {
            Cli.Call refused = cli.run("run", "--url", url(), "--election", "e", "--", "true");
            Cli.Call wanted = cli.run(
                    "run",
                    "--best-effort",
                    "--url",
                    url(),
                    "--election",
                    "e",
                    "--",
                    "sh",
                    "-c",
                    "echo $TENURE_ELECTION");

            assertThat(refused.exit()).isEqualTo(64);
            assertThat(refused.err()).contains("is grade D", "--best-effort").doesNotContain("secret");
            assertThat(wanted.exit()).isZero();
            assertThat(wanted.out()).isEqualTo("e\n");
        }
    }

    @Test
    void status_tells_the_grade_and_what_is_missing() {
        InProcess status = InProcess.run("status", "--url", url());
        InProcess locked = InProcess.run("status", "--url", server.url());
        InProcess unknown = InProcess.run("status", "--url", "redis://127.0.0.1:1");

        assertThat(status.code()).isZero();
        assertThat(status.out()).contains("grade D").doesNotContain("secret");
        assertThat(locked.code()).isEqualTo(64);
        assertThat(locked.err()).contains("wants a password");
        assertThat(unknown.code()).isEqualTo(69);
        assertThat(unknown.err()).contains("does not answer");
    }
}
