// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Signals in each phase. */
@Tag("slow")
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class SignalTest {
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

    private Cli.Call run(String script, String... more) {
        List<String> line =
                new ArrayList<>(Cli.commandLine("run", "--election", "hello", "--url", cli.url() + "?ttl=2s"));
        line.addAll(List.of(more));
        line.addAll(List.of("--", "sh", "-c", script));
        return cli.start(line);
    }

    /** The command says that it runs. */
    private Cli.Call running(String script, String... more) {
        return run("echo running; " + script, more).awaitOut("running");
    }

    private void assertReleased() {
        cli.run("status", "hello", "--url", cli.url()).mustExit(1);
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130", "HUP, 129"})
    void while_waiting_it_ends_at_once(String signal, int code) {
        Cli.Call leader = running("sleep 1000");
        Cli.Call waiting = run("echo must not run");
        waiting.awaitErr("waiting; ");

        waiting.signal(signal);

        waiting.mustExit(code);
        assertThat(waiting.out()).isEmpty();
        assertThat(leader.process().isAlive()).isTrue();
    }

    @Test
    void while_the_store_cannot_be_reached_it_ends_at_once_too() {
        Cli.Call down = cli.start("run", "--election", "a", "--url", "down://h", "--", "true");
        Cli.Call downAtOnce = cli.start("run", "--election", "a", "--url", "down-at-once://h", "--", "true");
        down.awaitErr("store trouble");
        down.signal("TERM");
        down.mustExit(143);

        downAtOnce.signal("TERM");

        downAtOnce.mustExit(143);
    }

    @ParameterizedTest
    @CsvSource({"TERM, 5", "INT, 6", "HUP, 7"})
    void while_leading_the_command_gets_it_and_its_code_is_the_answer(String signal, int code) {
        Cli.Call call =
                running("trap 'exit 5' TERM; trap 'exit 6' INT; trap 'exit 7' HUP; while :; do sleep 0.02; done");

        call.signal(signal);

        call.mustExit(code);
        assertReleased();
        assertThat(cli.left()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130", "HUP, 129"})
    void a_command_that_does_not_handle_it_dies_of_it(String signal, int code) {
        Cli.Call call = running("exec sleep 1000");

        call.signal(signal);

        call.mustExit(code);
        assertReleased();
    }

    @ParameterizedTest
    @CsvSource({"TERM", "INT"})
    void a_command_that_ignores_it_is_killed_after_the_grace(String signal) {
        Cli.Call call = running("trap '' TERM INT; while :; do sleep 0.02; done", "--grace", "300ms");

        call.signal(signal);

        call.mustExit(137);
        assertReleased();
        assertThat(cli.left()).isEmpty();
    }

    @Test
    void the_second_one_kills_at_once() {
        Cli.Call call = running(
                "trap 'echo one' INT; trap '' TERM; while :; do sleep 0.02; done", "--ttl", "5m", "--grace", "90s");
        call.signal("INT");
        call.awaitOut("one");
        long first = System.nanoTime();

        call.signal("INT");

        call.mustExit(137);
        assertThat(Duration.ofNanos(System.nanoTime() - first)).isLessThan(Duration.ofSeconds(80));
    }

    @Test
    void others_are_passed_on_and_end_nothing() {
        Cli.Call call = run("trap 'echo usr1' USR1; trap 'exit 3' TERM; echo running; while :; do sleep 0.02; done")
                .awaitOut("running");

        // The command may run a moment before its supervisor knows, and until then such a signal is ignored.
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            call.signal("USR1");
            return call.out().lines().filter("usr1"::equals).count() >= 2;
        });
        call.signal("TERM");

        call.mustExit(3);
    }

    @Test
    void a_signal_in_the_first_moment_leaves_nothing_behind() {
        for (int i = 0; i < 5; i++) {
            Cli.Call call = run("exec sleep 1000");
            int round = i;
            await().pollInterval(Duration.ofMillis(1))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> cli.left().size() > 1 + (round % 2)); // perl is there, or the command, or neither yet

            call.signal("TERM");

            call.mustExit(143);
            await().atMost(Duration.ofSeconds(60)).until(() -> cli.left().isEmpty());
        }
    }

    @Test
    void under_nohup_a_hang_up_is_ignored() {
        List<String> line = new ArrayList<>(List.of("perl", "-e", "$SIG{HUP} = 'IGNORE'; exec @ARGV"));
        List<String> own = Cli.commandLine(
                "run", "--election", "hello", "--url", cli.url(), "--", "sh", "-c", "echo running; exec sleep 1000");
        line.addAll(own.subList(3, own.size()));
        Cli.Call call = cli.start(line).awaitOut("running");

        call.signal("HUP");
        call.signal("TERM");

        call.mustExit(143);
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void a_watch_ends_with_the_signals_code(String signal, int code) {
        Cli.Call leader = running("sleep 1000");
        Cli.Call watch = cli.start("watch", "--url", cli.url()).awaitOut(" leads with token ");

        watch.signal(signal);

        watch.mustExit(code);
        assertThat(leader.process().isAlive()).isTrue();
    }

    @Test
    void a_watch_of_everything_finds_elections_that_begin_later_and_ends_when_nobody_reads() {
        List<String> line = new ArrayList<>(List.of("sh", "-c", "\"$@\" | head -n 1", "sh"));
        line.addAll(Cli.commandLine("watch", "--url", cli.url()));
        Cli.Call watch = cli.start(line);
        Cli.Call leader = running("sleep 1000");

        watch.awaitOut("hello: ");
        leader.signal("TERM");

        watch.mustExit(0);
        await().atMost(Duration.ofSeconds(60)).until(() -> cli.left().isEmpty());
    }
}
