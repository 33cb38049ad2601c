// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** What {@code tenure run} says on standard error: each thing once. */
@Tag("slow")
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class EventPrinterTest {
    private static final String NOT_RENEWED = "a renewal was not acknowledged";

    @TempDir
    Path dir;

    private Cli cli;
    private Path cut;

    @BeforeEach
    void open() {
        cli = new Cli(dir);
        cut = dir.resolve("store.cut");
    }

    @AfterEach
    void leave_nothing_behind() {
        cli.close();
    }

    private Cli.Call run(String ttl, String... command) {
        List<String> line = Cli.commandLine(
                "run",
                "--election",
                "e",
                "--url",
                cli.url().replace("local:", "cut:"),
                "--ttl",
                ttl,
                "--id",
                "me",
                "--");
        line.addAll(List.of(command));
        return cli.start(line);
    }

    private static long count(String part, Cli.Call call) {
        return call.err().lines().filter(line -> line.contains(part)).count();
    }

    @Test
    void the_grade_is_told_when_the_store_has_answered() {
        Cli.Call call = run("2s", "true");

        call.mustExit(0);
        assertThat(call.err().lines().filter(line -> line.contains("grade")))
                .singleElement()
                .asString()
                .matches("tenure: standing in e as me on local:.* \\(grade B: its link can be cut, scope user\\)");
    }

    @Test
    void a_store_that_does_not_answer_has_no_grade_until_it_does() throws IOException {
        Files.createFile(cut);
        Cli.Call call = run("2s", "true").awaitErr("store trouble while opening a session: the link is cut");
        String before = call.err();

        Files.delete(cut);

        call.mustExit(0);
        assertThat(before).startsWith("tenure: standing in e as me on local:").doesNotContain("grade");
        assertThat(call.err()).contains("tenure: the store is grade B: its link can be cut, scope user\n");
        assertThat(count("standing in e", call)).isOne();
        assertThat(count("grade", call)).isOne();
    }

    @Test
    void renewals_that_fail_are_told_once_and_again_after_relief() throws IOException {
        Cli.Call call = run("6s", "sleep", "1000").awaitErr("leading e");
        Files.createFile(cut);
        call.awaitErr(NOT_RENEWED);
        Files.delete(cut);
        call.awaitErr(" again\n"); // the store answers, or renewals are acknowledged
        long first = count(NOT_RENEWED, call);

        Files.createFile(cut);
        call.awaitErr("stepping down from token");

        assertThat(first).isOne();
        assertThat(count(NOT_RENEWED, call)).isEqualTo(2);
    }
}
