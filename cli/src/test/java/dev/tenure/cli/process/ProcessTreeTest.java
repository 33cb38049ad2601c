// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** Not only the command dies: everything that it started does, however it was started. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ProcessTreeTest {

    private static final Duration GRACE = Duration.ofMillis(300);
    private static final Map<String, String> TERM =
            Map.of("TENURE_ELECTION", "trees", "TENURE_TOKEN", "7", "TENURE_HOLDER", "me");

    /** A shell, its child, a background job, and a daemon with a session of its own whose parent is gone. */
    private static final String FAMILY = String.join(
            "\n",
            "cd \"$0\"",
            "sh -c 'echo $$ > child.pid; sleep 1000; true' &",
            "(setsid sh -c 'trap \"\" TERM; echo $$ > daemon.pid; while :; do sleep 0.02; done' &)",
            "echo $$ > shell.pid");

    @TempDir
    Path dir;

    private final Processes processes = new Processes();
    private Guardian guardian;

    @AfterEach
    void leave_nothing_behind() {
        if (guardian != null) {
            guardian.close();
        }
        processes.close();
    }

    @Test
    void when_the_supervisor_hangs_up_the_whole_family_dies_within_the_grace() throws Exception {
        ChildProcess child = start(FAMILY + "\nwait");
        List<Long> family = family();

        guardian.close();

        assertThat(family).filteredOn(Processes::isRunning).isEmpty();
        assertThat(child.ended().get(0, SECONDS)).isEqualTo(Exit.signaled(15, Exit.EndReason.CLOSED));
    }

    @Test
    void the_end_is_reported_only_when_the_last_of_the_family_is_dead() throws Exception {
        ChildProcess child = start(FAMILY + "\nwait");
        List<Long> family = family();

        child.stop(GRACE);
        child.ended().get(60, SECONDS);

        assertThat(family).filteredOn(Processes::isRunning).isEmpty();
    }

    @Test
    void what_a_command_leaves_running_ends_with_it() throws Exception {
        ChildProcess child =
                start(FAMILY + "\nuntil [ -s child.pid ] && [ -s daemon.pid ]; do sleep 0.01; done; exit 5");
        List<Long> family = family();

        Exit exit = child.ended().get(60, SECONDS);

        assertThat(exit).isEqualTo(Exit.exited(5, Exit.EndReason.ITSELF));
        assertThat(family).filteredOn(Processes::isRunning).isEmpty();
    }

    @Test
    void stopped_members_of_the_family_are_ended_too() throws Exception {
        ChildProcess child = start(FAMILY + "\nwait");
        List<Long> family = family();
        for (long pid : family) {
            Processes.signal("STOP", pid);
        }

        child.deadline(System.nanoTime() + GRACE.toNanos());
        child.ended().get(60, SECONDS);

        assertThat(family).filteredOn(Processes::isRunning).isEmpty();
    }

    @Test
    void what_a_handler_of_SIGTERM_starts_may_finish_its_work() throws Exception {
        ChildProcess child = start("cd \"$0\"; trap 'sleep 0.1; echo done > cleaned; exit 0' TERM;"
                + " echo $$ > shell.pid; while :; do sleep 0.02; done");
        processes.pidIn(dir.resolve("shell.pid"));

        child.stop(Duration.ofSeconds(5));

        assertThat(child.ended().get(60, SECONDS)).isEqualTo(Exit.exited(0, Exit.EndReason.ORDER));
        assertThat(dir.resolve("cleaned")).exists();
    }

    @Test
    void a_tree_that_runs_from_fork_to_fork_does_not_get_away() throws Exception {
        ChildProcess child = start("cd \"$0\"; echo $$ > shell.pid; exec perl -MPOSIX=setsid -e '"
                + "$SIG{TERM} = q(IGNORE); while (1) { exit if fork; setsid; select undef, undef, undef, 0.02 }'");

        Exit exit = child.ended().get(10, SECONDS);

        assertThat(exit).isEqualTo(Exit.exited(0, Exit.EndReason.ITSELF));
    }

    @Test
    void when_the_guardian_is_killed_the_family_dies_with_it() throws Exception {
        ChildProcess child = start(FAMILY + "\nwait");
        List<Long> family = family();

        Processes.signal("KILL", guardianOf(child));

        assertThat(child.ended().get(60, SECONDS)).isEqualTo(Exit.signaled(9, Exit.EndReason.GUARDIAN_DIED));
        assertThat(family).filteredOn(Processes::isRunning).isEmpty();
    }

    @Test
    void a_guardian_that_is_stopped_cannot_keep_the_family_alive_when_it_is_closed() throws Exception {
        ChildProcess child = start(FAMILY + "\nwait");
        List<Long> family = family();
        Processes.signal("STOP", guardianOf(child));

        guardian.close();

        child.ended().get(60, SECONDS);
        assertThat(family).filteredOn(Processes::isRunning).isEmpty();
        assertThat(child.ended().get(60, SECONDS).ending()).isEqualTo(Exit.EndReason.GUARDIAN_DIED);
    }

    @Test
    void a_guardian_that_does_not_read_is_killed_and_not_waited_for() throws Exception {
        ChildProcess child = start(FAMILY + "\nwait");
        List<Long> family = family();
        Processes.signal("STOP", guardianOf(child));

        await().pollInterval(Duration.ofMillis(1)).atMost(Processes.SOON).until(() -> {
            for (int order = 0; order < 100; order++) {
                child.deadline(System.nanoTime() + SECONDS.toNanos(60));
            }
            return child.ended().isDone();
        });

        assertThat(family).filteredOn(Processes::isRunning).isEmpty();
    }

    private long guardianOf(ChildProcess child) {
        return ProcessHandle.of(child.pid())
                .orElseThrow()
                .parent()
                .orElseThrow()
                .pid();
    }

    private List<Long> family() {
        return List.of(
                processes.pidIn(dir.resolve("shell.pid")),
                processes.pidIn(dir.resolve("child.pid")),
                processes.pidIn(dir.resolve("daemon.pid")));
    }

    private ChildProcess start(String script) throws Exception {
        guardian = Guardian.prepare(List.of("sh", "-c", script, dir.toString()), GRACE);
        ChildProcess child = guardian.start(TERM, System.nanoTime() + SECONDS.toNanos(60));
        processes.watch(child.pid());
        return child;
    }
}
