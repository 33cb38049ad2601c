// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a command gets from {@code tenure run}, and what comes back. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class RunTest {
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

    private Cli.Call run(String... command) {
        return cli.start(line(command));
    }

    private List<String> line(String... command) {
        List<String> line =
                Cli.commandLine("run", "--election", "hello", "--url", cli.url(), "--ttl", "2s", "--id", "me", "--");
        List<String> all = new ArrayList<>(line);
        all.addAll(List.of(command));
        return all;
    }

    @Test
    void the_command_leads_and_says_so() {
        Cli.Call call = run("sh", "-c", "echo leader $TENURE_TOKEN of $TENURE_ELECTION as $TENURE_HOLDER");

        call.mustExit(0);
        assertThat(call.out()).matches("leader [1-9][0-9]* of hello as me\n");
        assertThat(call.err())
                .matches("tenure: standing in hello as me on local:.* \\(grade A, scope user\\)\n"
                        + "tenure: leading hello with token [1-9][0-9]*\n");
        assertThat(cli.left()).isEmpty();
    }

    @Test
    void quiet_is_quiet() {
        Cli.Call call = cli.run("run", "--quiet", "--election", "hello", "--url", cli.url(), "--", "true");

        call.mustExit(0);
        assertThat(call.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "exit 0, 0",
        "exit 7, 7",
        "exit 255, 255",
        "kill -KILL $$, 137",
        "kill -TERM $$, 143",
        "kill -HUP $$, 129"
    })
    void its_exit_code_is_that_of_the_command(String script, int code) {
        run("sh", "-c", script).mustExit(code);
    }

    @Test
    void a_command_that_is_not_there_is_127_and_one_that_cannot_be_run_126() throws Exception {
        Path data = Files.writeString(dir.resolve("data"), "no program");

        Cli.Call missing = run("no-such-command-at-all");
        Cli.Call directory = run(dir.toString());
        Cli.Call notExecutable = run(data.toString());

        missing.mustExit(127);
        assertThat(missing.err()).contains("tenure: cannot run no-such-command-at-all: ");
        directory.mustExit(126);
        notExecutable.mustExit(126);
    }

    @Test
    void words_arrive_as_they_were_and_no_shell_looks_at_them() {
        String[] words = {"", " ", "a b", "$HOME", "*", "'\"\\", "--url", "--", "line\nbreak", "é東😀"};
        List<String> command = new ArrayList<>(List.of("sh", "-c", "for w; do printf '<%s>' \"$w\"; done", "sh"));
        command.addAll(List.of(words));

        Cli.Call call = run(command.toArray(String[]::new));

        call.mustExit(0);
        assertThat(call.out()).isEqualTo("<" + String.join("><", words) + ">");
    }

    @Test
    void the_environment_arrives_without_tenures_own() {
        cli.with("GREETING", "hi there")
                .with("TENURE_URL", cli.url() + "?ttl=2s")
                .with("TENURE_ID", "from-environment")
                .with("TENURE_PASSWORD", "hunter2");

        Cli.Call call = cli.run("run", "--election", "hello", "--", "sh", "-c", "env | sort");

        call.mustExit(0);
        assertThat(call.out().lines().filter(line -> line.startsWith("TENURE_")).map(line -> line.split("=")[0]))
                .containsExactly("TENURE_ELECTION", "TENURE_HOLDER", "TENURE_NONCE", "TENURE_TOKEN");
        assertThat(call.out()).contains("GREETING=hi there\n", "TENURE_HOLDER=from-environment\n");
        assertThat(call.out() + call.err()).doesNotContain("hunter2");
    }

    @Test
    void standard_input_and_the_working_directory_are_the_commands() throws Exception {
        Path input = Files.writeString(dir.resolve("input"), "some text");
        List<String> line = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" < \"$0\"", input.toString()));
        line.addAll(line("sh", "-c", "cat; pwd"));

        Cli.Call call = cli.start(line);

        call.mustExit(0);
        assertThat(call.out()).isEqualTo("some text" + dir.toRealPath() + "\n");
    }

    @Test
    void a_name_beyond_ascii_is_the_same_election_in_every_locale() {
        cli.with("LC_ALL", "C");
        Cli.Call inC = cli.run("run", "--election", "café", "--url", cli.url(), "--", "true");
        cli.with("LC_ALL", "C.UTF-8");
        Cli.Call status = cli.run("status", "--url", cli.url(), "--json");

        inC.mustExit(0);
        assertThat(JsonText.list(JsonText.object(status.out()).get("elections")))
                .singleElement()
                .satisfies(election -> assertThat(election).containsEntry("election", "café"));
    }

    @Test
    void the_default_store_is_the_users_own() {
        cli.with("XDG_STATE_HOME", dir.resolve("state").toString());

        Cli.Call call = cli.run("run", "--election", "hello", "--", "true");

        call.mustExit(0);
        assertThat(dir.resolve("state/tenure/format")).exists();
    }

    @Test
    void a_store_that_cannot_be_reached_within_the_wait_is_69_and_its_password_is_not_told() {
        String url = "down://user:hunter2@host/place";

        Cli.Call call = cli.run("run", "--election", "a", "--url", url, "--wait", "1s", "--ttl", "2s", "--", "true");
        Cli.Call atOnce = cli.run("run", "--election", "a", "--url", "down-at-once://h", "--wait", "1s", "--", "true");

        call.mustExit(69);
        assertThat(call.err())
                .contains(
                        "tenure: the store cannot be reached within 1s: connection to down://user:***@host/place refused")
                .doesNotContain("hunter2");
        atOnce.mustExit(69);
        assertThat(atOnce.err())
                .containsOnlyOnce("tenure: store trouble while opening it: connection to down-at-once://h refused");
        assertThat(cli.left()).isEmpty();
    }

    @Test
    void a_damaged_store_is_65() throws Exception {
        run("true").mustExit(0);
        StoreCommandsTest.damage(dir.resolve("store"));

        Cli.Call call = run("true");

        call.mustExit(65);
        assertThat(call.err()).contains("damaged or not Tenure's").doesNotContain("leading");
    }

    @Test
    void a_foreign_store_is_65_and_settings_that_cannot_work_are_64() throws Exception {
        Files.writeString(dir.resolve("thesis.txt"), "mine");

        cli.run("run", "--election", "a", "--url", "local:" + dir, "--", "true").mustExit(65);
        cli.run("run", "--election", "a", "--url", "local:/nowhere/x", "--", "true")
                .mustExit(64);
        assertThat(cli.left()).isEmpty();
    }
}
