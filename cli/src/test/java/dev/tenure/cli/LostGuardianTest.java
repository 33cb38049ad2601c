// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** Somebody kills the guardian: the command dies with it, and the supervisor goes on with another one. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class LostGuardianTest {
    @TempDir
    Path dir;

    private Cli cli;

    @BeforeEach
    void open() {
        cli = new Cli(dir);
    }

    @AfterEach
    void leave_nothing_behind() {
        cli.close();
    }

    private Cli.Call run(String name, String script) {
        return cli.start(
                "run",
                "--election",
                "hello",
                "--url",
                cli.url(),
                "--ttl",
                "1s",
                "--id",
                name,
                "--",
                "sh",
                "-c",
                script);
    }

    private long guardianOf(Cli.Call call) {
        return call.process()
                .children()
                .filter(child ->
                        Cli.read(Path.of("/proc/" + child.pid() + "/cmdline")).startsWith("tenure-guardian"))
                .map(ProcessHandle::pid)
                .findFirst()
                .orElse(0L);
    }

    @Test
    void while_leading_the_command_is_run_again_in_a_new_term() {
        Cli.Call call = run("a", "echo token $TENURE_TOKEN; exec sleep 1000");
        call.awaitOut("token ");
        String first = call.out();
        long guardian = guardianOf(call);

        Cli.signal("KILL", guardian);

        await().atMost(Duration.ofSeconds(30)).until(() -> call.out().lines().count() == 2);
        assertThat(call.out()).startsWith(first);
        assertThat(guardianOf(call)).isNotEqualTo(guardian);
        call.signal("TERM");
        call.mustExit(143);
        assertThat(cli.left()).isEmpty();
    }

    @Test
    void while_waiting_another_one_is_made_when_it_is_needed() {
        Cli.Call leader = run("a", "echo leads; exec sleep 1000").awaitOut("leads");
        Cli.Call waiting = run("b", "echo leads; exec sleep 1000").awaitErr("waiting; a leads");
        Cli.signal("KILL", guardianOf(waiting));

        leader.signal("TERM");

        waiting.awaitOut("leads");
        waiting.signal("TERM");
        waiting.mustExit(143);
        leader.mustExit(143);
        assertThat(cli.left()).isEmpty();
    }
}
