// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The scripts write to files: standard output belongs to the test runner. */
@Isolated("it looks at all that this process has started")
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class GuardianTest {

    private static final Duration GRACE = Duration.ofMillis(300);
    private static final long LONG = SECONDS.toNanos(60);

    @TempDir
    Path dir;

    private final Processes processes = new Processes();
    private final List<Guardian> guardians = new ArrayList<>();

    @AfterEach
    void leave_nothing_behind() {
        guardians.forEach(Guardian::close);
        processes.close();
    }

    @Test
    void the_exit_code_of_the_command_is_passed_on() throws Exception {
        ChildProcess child = start(LONG, "sh", "-c", "exit 42");

        Exit exit = child.ended().get(60, SECONDS);

        assertThat(exit).isEqualTo(Exit.exited(42, Exit.EndReason.ITSELF));
    }

    @Test
    void a_command_that_dies_by_a_signal_counts_as_128_and_the_number() throws Exception {
        ChildProcess child = start(LONG, "sh", "-c", "kill -USR1 $$");

        Exit exit = child.ended().get(60, SECONDS);

        assertThat(exit).isEqualTo(Exit.signaled(10, Exit.EndReason.ITSELF));
        assertThat(exit.code()).isEqualTo(138);
    }

    @Test
    void a_command_that_does_not_exist_is_127() throws Exception {
        ChildProcess child = start(LONG, "no-such-command; true");

        Exit exit = child.ended().get(60, SECONDS);

        assertThat(exit)
                .isEqualTo(new Exit(
                        127, Exit.EndReason.ITSELF, "cannot run no-such-command; true: No such file or directory"));
        assertThat(child.pid()).isZero();
    }

    @Test
    void a_file_that_is_not_executable_is_126() throws Exception {
        Path file = Files.writeString(dir.resolve("plain"), "#!/bin/sh\n");

        Exit exit = start(LONG, file.toString()).ended().get(60, SECONDS);

        assertThat(exit.code()).isEqualTo(126);
        assertThat(exit.notStarted()).contains("cannot run ");
    }

    @Test
    void a_command_whose_term_is_already_over_is_not_started() throws Exception {
        Path file = dir.resolve("ran");

        Exit exit = start(-1, "touch", file.toString()).ended().get(60, SECONDS);

        assertThat(exit.code()).isEqualTo(75);
        assertThat(exit.ending()).isEqualTo(Exit.EndReason.DEADLINE);
        assertThat(file).doesNotExist();
    }

    @Test
    void a_command_that_ends_politely_at_the_deadline_may_choose_its_code() throws Exception {
        ChildProcess child =
                start(SECONDS.toNanos(2), script("trap 'exit 7' TERM; echo $$ > pid; while :; do sleep 0.02; done"));

        Exit exit = child.ended().get(60, SECONDS);

        assertThat(exit).isEqualTo(Exit.exited(7, Exit.EndReason.DEADLINE));
    }

    @Test
    void a_command_that_ignores_SIGTERM_is_killed_by_the_deadline() throws Exception {
        long validUntil = System.nanoTime() + SECONDS.toNanos(2);
        ChildProcess child =
                startUntil(validUntil, script("trap '' TERM; echo $$ > pid; while :; do sleep 0.02; done"));

        Exit exit = child.ended().get(60, SECONDS);

        assertThat(exit).isEqualTo(Exit.signaled(9, Exit.EndReason.DEADLINE));
        assertThat(Processes.isRunning(child.pid())).isFalse();
        // Not long before the deadline; how soon after it this is seen is up to the machine.
        assertThat(System.nanoTime() - validUntil).isBetween(-SECONDS.toNanos(1) / 5, SECONDS.toNanos(20));
    }

    @Test
    void a_deadline_that_moves_later_keeps_the_command_alive() throws Exception {
        ChildProcess child = start(SECONDS.toNanos(2), "sleep", "1000");

        child.deadline(System.nanoTime() + LONG);

        await().during(Duration.ofMillis(2300)).atMost(Processes.SOON).until(() -> Processes.isRunning(child.pid()));
    }

    @Test
    void a_deadline_that_moves_earlier_ends_the_command() throws Exception {
        ChildProcess child = start(LONG, "sleep", "1000");

        child.deadline(System.nanoTime());

        assertThat(child.ended().get(60, SECONDS).ending()).isEqualTo(Exit.EndReason.DEADLINE);
        assertThat(Processes.isRunning(child.pid())).isFalse();
    }

    @Test
    void a_stop_sends_SIGTERM_at_once_and_SIGKILL_after_the_grace() throws Exception {
        ChildProcess child =
                start(LONG, script("trap 'echo asked > asked' TERM; echo $$ > pid; while :; do sleep 0.02; done"));
        processes.pidIn(dir.resolve("pid"));

        child.stop(Duration.ofSeconds(1));

        await().atMost(Processes.SOON).until(() -> Files.exists(dir.resolve("asked")));
        assertThat(child.ended().get(60, SECONDS)).isEqualTo(Exit.signaled(9, Exit.EndReason.ORDER));
    }

    @Test
    void SIGTERM_is_sent_only_once_however_often_the_end_is_ordered() throws Exception {
        String counter = "$SIG{TERM} = sub { open F, q(>>asked); print F qq(x\\n); close F };"
                + " open F, q(>pid); print F qq($$\\n); close F; sleep 1 while 1";
        ChildProcess child = start(LONG, script("exec perl -e '" + counter + "'"));
        processes.pidIn(dir.resolve("pid"));
        child.stop(Duration.ofSeconds(20));
        await().atMost(Processes.SOON).until(() -> Files.exists(dir.resolve("asked")));

        child.stop(GRACE);

        assertThat(child.ended().get(60, SECONDS)).isEqualTo(Exit.signaled(9, Exit.EndReason.ORDER));
        assertThat(Files.readAllLines(dir.resolve("asked"))).hasSize(1);
    }

    @Test
    void a_renewal_after_a_stop_does_not_call_it_back() throws Exception {
        ChildProcess child = start(LONG, script("trap '' TERM; echo $$ > pid; while :; do sleep 0.02; done"));
        processes.pidIn(dir.resolve("pid"));
        child.stop(GRACE);

        child.deadline(System.nanoTime() + LONG);

        assertThat(child.ended().get(60, SECONDS)).isEqualTo(Exit.signaled(9, Exit.EndReason.ORDER));
    }

    @Test
    void a_signal_is_passed_to_the_command_and_private_ones_to_nobody_else() throws Exception {
        ChildProcess child =
                start(LONG, script("trap 'echo usr1 > got' USR1; sleep 1000 & echo $! > pid; wait; wait; exit 3"));
        long helper = processes.pidIn(dir.resolve("pid"));

        child.signal(10);

        await().atMost(Processes.SOON).until(() -> Files.exists(dir.resolve("got")));
        assertThat(Processes.isRunning(helper)).isTrue();
    }

    @Test
    void an_interrupt_reaches_the_whole_process_group_as_from_a_terminal() throws Exception {
        assumeThat(Processes.isIgnored("INT"))
                .as("a shell in the background has taken INT away")
                .isFalse();
        ChildProcess child =
                start(LONG, script("perl -e 'open F,\">pid\"; print F \"$$\\n\"; close F; sleep 1000'; exit 3"));
        long helper = processes.pidIn(dir.resolve("pid"));

        child.signal(2);

        assertThat(child.ended().get(60, SECONDS).code()).isEqualTo(130);
        assertThat(Processes.isRunning(helper)).isFalse();
    }

    @Test
    void a_stopped_command_is_ended_too() throws Exception {
        ChildProcess child = start(LONG, "sleep", "1000");
        Processes.signal("STOP", child.pid());
        await().atMost(Processes.SOON).until(() -> Processes.state(child.pid()).equals("T"));

        child.stop(Duration.ofSeconds(20));

        assertThat(child.ended().get(60, SECONDS)).isEqualTo(Exit.signaled(15, Exit.EndReason.ORDER));
    }

    @Test
    void a_guardian_that_is_stopped_before_it_starts_the_command_is_given_up_at_the_end_of_the_term() throws Exception {
        Guardian guardian = prepare("touch", dir.resolve("ran").toString());
        long pid = awaitReady();
        Processes.signal("STOP", pid);
        long begunNanos = System.nanoTime();

        assertThatThrownBy(() -> guardian.start(Map.of(), begunNanos + SECONDS.toNanos(2)))
                .isInstanceOf(java.io.IOException.class)
                .hasMessageContaining("does not answer");

        assertThat(System.nanoTime() - begunNanos).isLessThan(SECONDS.toNanos(20));
        assertThat(Processes.isRunning(pid)).isFalse();
        assertThat(dir.resolve("ran")).doesNotExist();
    }

    /** A guardian gives itself its name just before it connects. */
    private static long awaitReady() {
        List<Long> found = new ArrayList<>();
        await().atMost(Processes.SOON).until(() -> {
            ProcessHandle.current()
                    .children()
                    .map(ProcessHandle::pid)
                    .filter(pid -> Processes.state(pid).equals("S")
                            && Processes.read(Path.of("/proc/" + pid + "/cmdline"))
                                    .startsWith("tenure-guardian"))
                    .forEach(found::add);
            return !found.isEmpty();
        });
        return found.get(0);
    }

    @Test
    void one_guardian_runs_one_command_once() throws Exception {
        Guardian guardian = prepare("true");
        guardian.start(Map.of(), System.nanoTime() + LONG).ended().get(60, SECONDS);

        assertThatThrownBy(() -> guardian.start(Map.of(), System.nanoTime() + LONG))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("already run true");
    }

    @Test
    void a_guardian_that_was_never_used_goes_when_it_is_closed() throws Exception {
        List<ProcessHandle> before = ProcessHandle.current().children().toList();
        Guardian guardian = prepare("true");
        List<ProcessHandle> started = ProcessHandle.current()
                .children()
                .filter(child -> !before.contains(child))
                .toList();

        guardian.close();

        assertThat(started).hasSize(1);
        Processes.awaitDead(Processes.SOON, started.get(0).pid());
        assertThatThrownBy(() -> guardian.start(Map.of(), System.nanoTime() + LONG))
                .isInstanceOf(java.io.IOException.class);
    }

    @Test
    void without_perl_the_message_says_what_to_install() {
        assertThatThrownBy(() -> Guardian.prepare(List.of("true"), GRACE, "no-such-perl"))
                .isInstanceOf(java.io.IOException.class)
                .hasMessage("tenure run needs perl (Debian/Ubuntu: apt install perl-base)");
    }

    @Test
    void a_perl_that_ends_at_once_is_an_error_and_not_a_hang() throws Exception {
        Guardian guardian = Guardian.prepare(List.of("true"), GRACE, "false");
        guardians.add(guardian);

        assertThatThrownBy(() -> guardian.start(Map.of(), System.nanoTime() + LONG))
                .isInstanceOf(java.io.IOException.class)
                .hasMessageContaining("did not start: perl ended before it was ready");
    }

    private String[] script(String text) {
        return new String[] {"sh", "-c", "cd \"$0\" && " + text, dir.toString()};
    }

    private Guardian prepare(String... command) throws Exception {
        Guardian guardian = Guardian.prepare(List.of(command), GRACE);
        guardians.add(guardian);
        return guardian;
    }

    private ChildProcess start(long validForNanos, String... command) throws Exception {
        return startUntil(System.nanoTime() + validForNanos, command);
    }

    private ChildProcess startUntil(long validUntilNanos, String... command) throws Exception {
        ChildProcess child = prepare(command).start(Map.of(), validUntilNanos);
        processes.watch(child.pid());
        return child;
    }
}
