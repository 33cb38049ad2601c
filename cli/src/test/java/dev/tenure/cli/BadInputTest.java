// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever is wrong: one sentence on standard error, nothing on standard output, and the code that was promised. */
class BadInputTest {
    /** Bad options are found before this database is. */
    private static final String DOWN = "postgresql://127.0.0.1:1/x";

    @TempDir
    Path dir;

    static Stream<Arguments> wrong() {
        return Stream.of(
                wrong("no verb is given: one of run, status"),
                wrong("unknown verb rnu; did you mean run?", "rnu"),
                wrong("the verb comes first", "--url", "local:", "status"),
                wrong("unknown verb \\u001b[31m", "\u001b[31m"),
                wrong("--election is missing: tenure run --election NAME", "run", "--", "true"),
                wrong("unknown option --elction; did you mean --election?", "run", "--elction", "a", "--", "true"),
                wrong("the command is missing: tenure run", "run", "--election", "a"),
                wrong("the command is missing", "run", "--election", "a", "--"),
                wrong("the command is missing", "run", "--election", "a", "--", ""),
                wrong("[options] -- COMMAND ARGS…", "run", "--election", "a", "true"),
                wrong("--election is empty", "run", "--election", "", "--", "true"),
                wrong("control character", "run", "--election", "a\nb", "--", "true"),
                wrong("at most 200 are allowed", "run", "--election", "x".repeat(201), "--", "true"),
                wrong("--ttl '10' is not a duration", "run", "--election", "a", "--ttl", "10", "--", "true"),
                wrong("--grace '1 s' is not", "run", "--election", "a", "--grace", "1 s", "--", "true"),
                wrong("--wait '0s' must be longer", "run", "--election", "a", "--wait", "0s", "--", "true"),
                wrong(
                        "a drain of 5s does not fit into a TTL of 10s",
                        "run",
                        "--election",
                        "a",
                        "--grace",
                        "5s",
                        "--",
                        "true"),
                wrong(
                        "a TTL of 100 ms is outside",
                        "run",
                        "--election",
                        "a",
                        "--url",
                        "$",
                        "--ttl",
                        "100ms",
                        "--",
                        "x"),
                wrong("cannot be a node id", "run", "--election", "a", "--url", "$", "--id", " ", "--", "true"),
                wrong("'nonsense' is not a store URL", "run", "--election", "a", "--url", "nonsense", "--", "true"),
                wrong("'' is not a store URL", "status", "--url="),
                wrong("no backend for 'ftp:'", "status", "--url", "ftp://h"),
                wrong("unknown option 'tl' in the store URL", "status", "--url", "$?tl=1s"),
                wrong("does not name a path from the root", "status", "--url", "local:here"),
                wrong("/nowhere does not exist", "status", "--url", "local:/nowhere/at-all"),
                wrong("is not a directory", "watch", "--url", "local:/etc/hostname"),
                wrong("an election needs a name", "status", ""),
                wrong("etcd://u:***@h is a store URL, not an election", "status", "etcd://u:word@h"),
                wrong("local:/tmp is a store URL, not an election", "status", "local:/tmp"),
                wrong("local: is a store URL, not an election", "resign", "local:"),
                wrong("allows: lower-case letters, digits, - and .", "kubernetes", "rbac", "--namespace", "A_b"),
                wrong("an empty name among its tables", "fence", "uninstall", "--table", "a,", "--url", DOWN),
                wrong("--resource is empty", "fence", "raise", "--resource=", "--url", DOWN),
                wrong("not a fencing token: '-1'", "fence", "raise", "--resource", "a", "--token", "-1", "--url", DOWN),
                wrong("--for '1x' is not a duration", "cron", "pause", "j", "--for", "1x", "--url", DOWN),
                wrong("--limit '0' is not a number", "cron", "history", "j", "--limit", "0", "--url", DOWN),
                wrong("etcd://h is a store URL, not an election", "run", "--election", "etcd://h", "--", "true"),
                wrong("control character", "watch", "a\u0007"),
                wrong("NAME is missing: tenure resign NAME", "resign"),
                wrong("'b' is one word too many", "resign", "a", "b"),
                wrong("--wait needs a value: --wait TIME", "resign", "a", "--wait"),
                wrong("a word is missing: one of show, raise", "era"),
                wrong("unknown word 'rais'; did you mean raise?", "era", "rais"),
                wrong("a word is missing: one of bash, zsh, fish", "completion"),
                wrong("unknown word 'bsh'; did you mean bash?", "completion", "bsh"),
                wrong("unknown verb nothing", "help", "nothing"),
                wrong("runs no command", "status", "--", "true"));
    }

    private static Arguments wrong(String sentence, String... words) {
        return Arguments.of(sentence, List.of(words));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrong")
    void is_refused_with_a_sentence_and_64(String sentence, List<String> words) {
        String[] resolved = words.stream()
                .map(word -> word.startsWith("$") ? "local:" + dir.resolve("store") + word.substring(1) : word)
                .toArray(String[]::new);

        InProcess call = InProcess.run(resolved);

        assertThat(call.code()).isEqualTo(64);
        assertThat(call.out()).isEmpty();
        assertThat(call.err()).startsWith("tenure: ").contains(sentence).hasLineCount(1);
    }

    @Test
    void a_foreign_directory_is_65_and_stays_as_it_was() throws IOException {
        Files.writeString(dir.resolve("thesis.txt"), "mine");

        InProcess call = InProcess.run("status", "--url", "local:" + dir);

        assertThat(call.code()).isEqualTo(65);
        assertThat(call.err()).contains("not Tenure's", "thesis.txt").hasLineCount(1);
        assertThat(dir).isDirectoryContaining(path -> path.endsWith("thesis.txt"));
    }

    @Test
    void a_store_that_cannot_be_reached_is_69() {
        assertThat(InProcess.run("status", "--url", "down://h"))
                .isEqualTo(new InProcess(69, "", "tenure: connection to down://h refused: is it running?\n"));
        assertThat(InProcess.run("watch", "hello", "--url", "down://h").code()).isEqualTo(69);
        assertThat(InProcess.run("watch", "--url", "down://h").code()).isEqualTo(69);
        assertThat(InProcess.run("resign", "hello", "--url", "down://h").code()).isEqualTo(69);
        assertThat(InProcess.run("era", "show", "--url", "down-at-once://h").code())
                .isEqualTo(69);
    }

    @Test
    void a_stack_trace_is_shown_only_to_who_asks_for_it() {
        InProcess plain = InProcess.run("status", "--url", "nonsense");
        InProcess debugging = InProcess.run(Map.of("TENURE_DEBUG", "1"), "status", "--url", "nonsense");

        assertThat(plain.err()).doesNotContain("\tat ");
        assertThat(debugging.err()).contains("IllegalArgumentException", "\tat dev.tenure");
    }
}
