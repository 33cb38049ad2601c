// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
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

/** The supervisor is a JVM of its own here, so that it can be stopped, killed and talked to like the real one. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SupervisorTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration GRACE = Duration.ofMillis(500);

    /** What one look at a process, on a busy machine, may come late. */
    private static final Duration SEEN_LATE = Duration.ofMillis(500);

    private static final String STUBBORN =
            "cd \"$0\"; trap '' TERM; (setsid sh -c 'echo $$ > daemon.pid; while :; do sleep 0.02; done' &); "
                    + "while :; do sleep 0.02; done";

    @TempDir
    Path dir;

    private final Processes processes = new Processes();
    private final List<Process> supervisors = new ArrayList<>();

    @AfterEach
    void leave_nothing_behind() {
        supervisors.forEach(Process::destroyForcibly);
        processes.close();
    }

    @Test
    void when_the_supervisor_is_stopped_its_command_is_dead_by_the_deadline_all_the_same() throws Exception {
        Duration ttl = Duration.ofSeconds(3);
        Process supervisor = started(new ProcessBuilder(supervisorLine(ttl, "sh", "-c", STUBBORN, dir.toString())));
        long command = processes.pidIn(dir.resolve("command.pid"));
        long daemon = processes.pidIn(dir.resolve("daemon.pid"));
        assertThat(Processes.isRunning(command)).isTrue();

        Processes.signal("STOP", supervisor.pid());

        Processes.awaitDead(ttl.plus(SEEN_LATE), command, daemon);
        assertThat(Processes.state(supervisor.pid())).isEqualTo("T");
        Processes.signal("CONT", supervisor.pid());
        assertThat(supervisor.waitFor(10, SECONDS)).isTrue();
        assertThat(Files.readString(dir.resolve("exit"))).isEqualTo("Exit[code=137, ending=DEADLINE, notStarted=]\n");
    }

    @Test
    void when_the_supervisor_is_killed_its_command_is_dead_within_the_grace() throws Exception {
        Process supervisor = supervise(Map.of(), "sh", "-c", STUBBORN, dir.toString());
        long command = processes.pidIn(dir.resolve("command.pid"));
        long daemon = processes.pidIn(dir.resolve("daemon.pid"));

        Processes.signal("KILL", supervisor.pid());

        Processes.awaitDead(GRACE.plus(SEEN_LATE), command, daemon);
    }

    @Test
    void when_the_supervisors_whole_process_group_is_killed_its_command_is_dead_within_the_grace() throws Exception {
        List<String> line = new ArrayList<>(List.of("setsid"));
        line.addAll(supervisorLine(LONG, "sh", "-c", STUBBORN, dir.toString()));
        Process supervisor = started(new ProcessBuilder(line));
        long command = processes.pidIn(dir.resolve("command.pid"));
        long daemon = processes.pidIn(dir.resolve("daemon.pid"));

        Processes.signalGroup("KILL", supervisor.pid());

        Processes.awaitDead(GRACE.plus(SEEN_LATE), command, daemon);
    }

    @Test
    void when_the_supervisor_is_stopped_and_the_guardian_killed_the_kernel_kills_the_command() throws Exception {
        Process supervisor = supervise(Map.of(), "sleep", "1000");
        long command = processes.pidIn(dir.resolve("command.pid"));
        long guardian =
                ProcessHandle.of(command).orElseThrow().parent().orElseThrow().pid();

        Processes.signal("STOP", supervisor.pid());
        Processes.signal("KILL", guardian);

        Processes.awaitDead(SEEN_LATE, command);
    }

    @Test
    void standard_input_output_and_error_are_the_supervisors_own() throws Exception {
        Process supervisor = supervise(Map.of(), "sh", "-c", "read line; echo out $line; echo err $line >&2; exit 9");

        supervisor.getOutputStream().write("hello\n".getBytes(UTF_8));
        supervisor.getOutputStream().close();

        assertThat(new String(supervisor.getInputStream().readAllBytes(), UTF_8))
                .isEqualTo("out hello\n");
        assertThat(new String(supervisor.getErrorStream().readAllBytes(), UTF_8))
                .isEqualTo("err hello\n");
        assertThat(supervisor.waitFor()).isEqualTo(9);
    }

    @Test
    void no_descriptor_but_the_standard_ones_reaches_the_command() throws Exception {
        Process supervisor = supervise(Map.of(), "ls", "/proc/self/fd");

        String[] seen = new String(supervisor.getInputStream().readAllBytes(), UTF_8).split("\n");

        assertThat(seen).as("3 is the directory that ls reads").containsExactly("0", "1", "2", "3");
    }

    @Test
    void credentials_stay_with_the_supervisor_and_the_rest_goes_to_the_command() throws Exception {
        Map<String, String> environment = Map.of(
                "TENURE_URL",
                "etcd://user:not-to-be-seen@host",
                "TENURE_PASSWORD",
                "not-to-be-seen",
                "TENURE_KEEP_X",
                "not-to-be-seen",
                "PERL5OPT",
                "-Mno::such::module",
                "PERLLIB",
                "/none",
                "KEPT",
                "value");

        Process supervisor = supervise(environment, "cat", "/proc/self/environ");

        String[] seen = new String(supervisor.getInputStream().readAllBytes(), UTF_8).split("\0");
        assertThat(seen)
                .contains("KEPT=value", "PERL5OPT=-Mno::such::module", "PERLLIB=/none", "TENURE_ELECTION=e")
                .noneMatch(variable -> variable.contains("not-to-be-seen") || variable.contains("TENURE_KEEP"));
    }

    @Test
    void words_and_variables_that_are_not_text_arrive_as_they_are_in_any_locale() throws Exception {
        String latin1 = "caf\\351";
        ProcessBuilder builder = new ProcessBuilder(
                "sh", "-c", "export V=\"$(printf '" + latin1 + "')\"; exec \"$@\" \"$V\" \"$V?é\"", "sh");
        builder.command().addAll(supervisorLine(LONG, "sh", "-c", "printf '%s|' \"$@\" \"$V\"", "sh"));
        builder.environment().put("LC_ALL", "C");

        Process supervisor = started(builder);

        byte[] expected = "café|café?Ã©|café|".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(supervisor.getInputStream().readAllBytes()).isEqualTo(expected);
    }

    @Test
    void a_locale_that_is_not_installed_is_no_reason_for_noise() throws Exception {
        Process supervisor = supervise(Map.of("LC_ALL", "xx_XX.UTF-8"), "true");

        assertThat(new String(supervisor.getErrorStream().readAllBytes(), UTF_8))
                .isEmpty();
        assertThat(supervisor.waitFor()).isZero();
    }

    @Test
    void a_signal_to_the_supervisor_reaches_the_command() throws Exception {
        assumeThat(Processes.isIgnored("HUP")).as("nohup has taken HUP away").isFalse();
        String script = "trap 'exit 4' HUP; echo $$ > \"$0/trapped.pid\"; while :; do sleep 0.02; done";
        Process supervisor = supervise(Map.of(), "sh", "-c", script, dir.toString());
        processes.pidIn(dir.resolve("command.pid"));
        processes.pidIn(dir.resolve("trapped.pid"));

        Processes.signal("HUP", supervisor.pid());

        assertThat(supervisor.waitFor(60, SECONDS)).isTrue();
        assertThat(supervisor.exitValue()).isEqualTo(4);
    }

    @Test
    void a_reader_of_the_commands_output_sees_its_end_when_the_supervisor_was_killed() throws Exception {
        Process supervisor = supervise(Map.of(), "sh", "-c", "echo begin; exec sleep 1000");
        processes.pidIn(dir.resolve("command.pid"));
        assertThat(supervisor.getInputStream().readNBytes(6)).isEqualTo("begin\n".getBytes(UTF_8));

        Processes.signal("KILL", supervisor.pid());

        assertThat(supervisor.getInputStream().readAllBytes()).isEmpty();
    }

    private Process supervise(Map<String, String> environment, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(supervisorLine(LONG, command));
        builder.environment().putAll(environment);
        return started(builder);
    }

    private List<String> supervisorLine(Duration ttl, String... command) {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                SupervisorMain.class.getName(),
                dir.toString(),
                Long.toString(ttl.toMillis()),
                Long.toString(GRACE.toMillis())));
        line.addAll(List.of(command));
        return line;
    }

    private Process started(ProcessBuilder builder) throws IOException {
        Process supervisor = builder.start();
        supervisors.add(supervisor);
        return supervisor;
    }
}
