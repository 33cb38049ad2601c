// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code tenure}, in a checkout that has the classes under test as its newest build. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class LauncherTest {
    private static final byte[] CTRL_C = {0x03};
    private static final byte[] CTRL_BACKSLASH = {0x1c};
    private static final String COMMAND =
            "trap 'echo got QUIT' QUIT; trap 'exit 3' TERM; trap 'exit 4' INT; echo running; while :; do sleep 0.02; done";

    @TempDir
    Path dir;

    private Cli cli;
    private Path launcher;

    @BeforeEach
    void lay_out_a_checkout() throws IOException {
        cli = new Cli(dir).with("JAVA_HOME", System.getProperty("java.home"));
        Path checkout = dir.resolve("checkout");
        Path build = Files.createDirectories(checkout.resolve("target/tenure/1-1"));
        Files.writeString(build.resolve("classpath"), System.getProperty("java.class.path") + "\n");
        Files.writeString(checkout.resolve("target/tenure/current"), "1-1\n");
        Files.createDirectory(checkout.resolve("cli"));
        Files.createFile(checkout.resolve("cli/pom.xml"));
        Files.createFile(build.resolve("begun")); // last: a source that is newer means a new build
        Files.createDirectory(checkout.resolve("dist"));
        Files.copy(Path.of("../dist/launch.sh"), checkout.resolve("dist/launch.sh"));
        launcher = Files.copy(Path.of("../tenure"), checkout.resolve("tenure"));
    }

    @AfterEach
    void leave_nothing_behind() {
        cli.close();
    }

    @Test
    void a_QUIT_prints_a_thread_dump_on_standard_error_and_leaves_the_command_alone() {
        Cli.Call call = cli.start(Cli.withSaneSignals(
                        launcher.toString(), "run", "--election", "e", "--url", cli.url(), "--", "sh", "-c", COMMAND))
                .awaitOut("running");

        call.signal("QUIT");

        call.awaitErr("Full thread dump");
        call.signal("TERM");
        call.mustExit(3);
        assertThat(call.out()).isEqualTo("running\n");
    }

    /**
     * The guardian and the command have sessions of their own, so the terminal signals the JVM alone. Without {@code exec} the
     * shell that {@code script} starts may stay between the two, and the terminal would end it.
     */
    @Test
    void at_a_terminal_a_QUIT_leaves_the_command_alone_and_an_INT_ends_it() throws IOException {
        String line = "exec " + launcher + " run --election e --url " + cli.url() + " -- sh -c \"" + COMMAND + "\"";
        Cli.Call call = cli.start(Cli.withSaneSignals("script", "-qec", line, "/dev/null"))
                .awaitOut("running");
        OutputStream keyboard = call.process().getOutputStream();

        keyboard.write(CTRL_BACKSLASH);
        keyboard.flush();

        call.awaitOut("Full thread dump");
        keyboard.write(CTRL_C);
        keyboard.flush();
        call.mustExit(4);
        assertThat(call.out()).doesNotContain("got QUIT");
    }
}
