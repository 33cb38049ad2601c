// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.support.ChildProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example at the top of each page is complete, and does what the page says. */
@Tag("slow")
class DocExamplesTest {
    private static final Pattern EXAMPLE = Pattern.compile("^```java\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);

    @TempDir
    Path dir;

    private Process run(String page, String name) throws IOException {
        Matcher example = EXAMPLE.matcher(Files.readString(Path.of("../docs/patterns", page)));
        assertThat(example.find()).isTrue();
        Path source = Files.writeString(dir.resolve(name + ".java"), example.group(1));
        String classes = System.getProperty("java.class.path");
        int complaints = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", classes, "-d", dir.toString(), source.toString());
        assertThat(complaints).isZero();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        dir + ":" + classes,
                        name)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("out").toFile())
                .start();
        ChildProcesses.endWithThisJvm(process.toHandle());
        return process;
    }

    private String out() throws IOException {
        return Files.readString(dir.resolve("out"));
    }

    @Test
    void cron() throws Exception {
        Process process = run("cron.md", "Reports");
        try {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> out().lines()
                                    .filter(line -> line.startsWith("warm at"))
                                    .count()
                            >= 2);
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(out()).isZero();
        } finally {
            ChildProcesses.kill(process);
        }
    }

    @Test
    void migration() throws Exception {
        assertThat(run("migration.md", "Billing").waitFor()).as(out()).isZero();
        assertThat(out()).contains("checked", "3 steps");
        assertThat(run("migration.md", "Billing").waitFor()).as(out()).isZero();
        assertThat(out()).contains("0 steps").doesNotContain("checked");
    }
}
