// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** What the command sees: its words, environment and signals. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CommandTest {

    @TempDir
    Path dir;

    @Test
    void words_arrive_untouched() throws Exception {
        List<String> words = List.of(
                "two words",
                "",
                "it's \"quoted\"",
                "naïve 🦊",
                "line\nbreak\ttab",
                "*",
                "~",
                "$HOME",
                "-n",
                "--",
                "%41 %",
                "\\",
                "a;touch owned",
                "$(touch owned)",
                "`touch owned`",
                "&",
                "|",
                ">owned",
                "");

        run(
                Map.of(),
                Stream.concat(
                                Stream.of("sh", "-c", "cd \"$0\"; printf '%s\\0' \"$@\" > words", dir.toString()),
                                words.stream())
                        .toList());

        assertThat(new String(Files.readAllBytes(dir.resolve("words")), UTF_8))
                .isEqualTo(String.join("\0", words) + "\0");
        assertThat(dir.resolve("owned")).doesNotExist();
    }

    @Test
    void a_single_word_is_a_program_and_never_a_line_of_shell() throws Exception {
        Exit exit = run(Map.of(), List.of("touch " + dir.resolve("owned") + ";"));

        assertThat(exit.code()).isEqualTo(127);
        assertThat(dir.resolve("owned")).doesNotExist();
    }

    @Test
    void a_command_line_of_a_megabyte_fits() throws Exception {
        List<String> words = Stream.concat(
                        Stream.of("sh", "-c", "cd \"$0\"; printf '%s' \"$@\" | wc -c > size", dir.toString()),
                        Collections.nCopies(16, "ü".repeat(32_768)).stream())
                .toList();

        run(Map.of(), words);

        assertThat(Files.readString(dir.resolve("size")).strip()).isEqualTo("1048576");
    }

    @Test
    void the_environment_is_inherited_and_the_term_is_added() throws Exception {
        Map<String, String> term = Map.of("TENURE_ELECTION", "a b/ü\n=%", "TENURE_TOKEN", "12", "TENURE_HOLDER", "");

        run(
                term,
                List.of(
                        "sh",
                        "-c",
                        "cat /proc/self/environ > \"$0\"",
                        dir.resolve("env").toString()));

        assertThat(new String(Files.readAllBytes(dir.resolve("env")), UTF_8).split("\0"))
                .contains("TENURE_ELECTION=a b/ü\n=%", "TENURE_TOKEN=12", "TENURE_HOLDER=")
                .contains("PATH=" + System.getenv("PATH"))
                .noneMatch(variable -> variable.startsWith("PERL_BADLANG"));
    }

    @Test
    void no_signal_is_blocked_and_only_those_ignored_before_are_ignored() throws Exception {
        run(
                Map.of(),
                List.of(
                        "sh",
                        "-c",
                        "exec cat /proc/self/status > \"$0\"",
                        dir.resolve("status").toString()));

        assertThat(signals(dir.resolve("status"), "SigBlk")).isZero();
        assertThat(signals(dir.resolve("status"), "SigIgn")).isEqualTo(signals(Path.of("/proc/self/status"), "SigIgn"));
    }

    @Test
    void the_command_leads_a_session_of_its_own_in_the_same_directory() throws Exception {
        run(Map.of(), List.of("sh", "-c", "cat /proc/$$/stat > \"$0/stat\"; pwd -P > \"$0/cwd\"", dir.toString()));

        String[] stat = Files.readString(dir.resolve("stat")).split(" ");
        assertThat(stat[4]).as("process group").isEqualTo(stat[0]);
        assertThat(stat[5]).as("session").isEqualTo(stat[0]);
        assertThat(Path.of(Files.readString(dir.resolve("cwd")).strip()))
                .isEqualTo(Path.of("").toRealPath());
    }

    @Test
    void a_word_with_NUL_is_refused() {
        assertThatThrownBy(() -> Guardian.prepare(List.of("echo", "a\0b"), Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Signals 1 to 31; the C library keeps the first two beyond for itself. */
    private static long signals(Path status, String set) throws Exception {
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith(set + ":"))
                .mapToLong(line -> 0x7fff_ffff
                        & Long.parseUnsignedLong(
                                line.substring(set.length() + 1).strip(), 16))
                .findFirst()
                .orElseThrow();
    }

    private static Exit run(Map<String, String> environment, List<String> command) throws Exception {
        try (Guardian guardian = Guardian.prepare(command, Duration.ofMillis(200))) {
            return guardian.start(environment, System.nanoTime() + SECONDS.toNanos(30))
                    .ended()
                    .get(10, SECONDS);
        }
    }
}
