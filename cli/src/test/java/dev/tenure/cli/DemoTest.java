// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class DemoTest {
    @TempDir
    Path dir;

    private Cli cli;

    @BeforeEach
    void open() throws IOException {
        Files.createDirectory(dir.resolve("tmp"));
        cli = new Cli(dir).with("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + dir.resolve("tmp"));
    }

    @AfterEach
    void leave_nothing_behind() {
        cli.close();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(dir.resolve("tmp"))) {
            return all.filter(path -> path.getFileName().toString().startsWith("tenure"))
                    .toList();
        }
    }

    @Test
    void a_crash_a_pause_and_a_refused_write_in_under_a_minute_and_nothing_is_left() throws Exception {
        long begun = System.nanoTime();

        Cli.Call demo = cli.run("demo");

        assertThat(demo.exit()).as(demo.err()).isZero();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofMinutes(1));
        assertThat(demo.out())
                .contains("kill -9", "kill -STOP", "kill -CONT")
                .containsPattern("ledger +REFUSES the entry of \\w+: token [0-9]+ is older than [0-9]+")
                .containsPattern("\\w+ +knows that it has lost")
                .contains(" 1 refused, not one from a leader whose time had passed")
                .doesNotContain("\u001b");
        assertThat(demo.out().lines().filter(line -> line.contains(" leads with token ")))
                .hasSize(3);
        assertThat(cli.left()).isEmpty();
        assertThat(files()).isEmpty();
    }

    @Test
    void help_readme_and_docs_tell_the_same_duration() throws Exception {
        String duration = "in about ten seconds";

        String help = InProcess.run("help", "demo").out();

        assertThat(help).contains(duration);
        assertThat(Files.readString(Path.of("../README.md"))).contains(duration);
        assertThat(Files.readString(Path.of("../docs/cli.md"))).contains(duration);
    }

    @Test
    void an_interrupt_in_the_middle_leaves_nothing_behind() throws Exception {
        Cli.Call demo = cli.start("demo");
        demo.awaitOut("kill -STOP");

        demo.signal("INT");

        assertThat(demo.exit()).isEqualTo(130);
        await().atMost(Duration.ofSeconds(10)).until(() -> cli.left().isEmpty());
        assertThat(files()).isEmpty();
    }
}
