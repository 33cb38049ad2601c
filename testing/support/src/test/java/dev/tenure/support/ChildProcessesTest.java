// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessesTest {
    /** Started by a JVM that is killed before it could do anything about it. */
    static final class Parent {
        private Parent() {}

        public static void main(String[] arguments) throws Exception {
            Process sleeping = new ProcessBuilder("sleep", "600").start();
            if (arguments.length == 0) {
                ChildProcesses.endWithThisJvm(sleeping.toHandle());
            } else {
                ChildProcesses.endWithThisJvm(sleeping.toHandle(), Path.of(arguments[0]));
            }
            ChildProcesses.stop(sleeping.toHandle());
            System.out.println(sleeping.pid());
            Thread.currentThread().join();
        }
    }

    @Test
    void a_stopped_child_ends_with_a_jvm_that_is_killed() throws Exception {
        assertEndsWithItsParent();
    }

    @Test
    void the_folder_of_a_server_goes_with_it(@TempDir Path parent) throws Exception {
        Path folder = Files.createDirectory(parent.resolve("server"));
        Files.writeString(folder.resolve("log"), "started");

        assertEndsWithItsParent(folder.toString());

        Awaitility.await("the folder is gone").atMost(Duration.ofSeconds(30)).until(() -> !Files.exists(folder));
    }

    private static void assertEndsWithItsParent(String... arguments) throws Exception {
        ProcessBuilder command = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Parent.class.getName());
        command.command().addAll(java.util.List.of(arguments));
        Process jvm = command.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader out = jvm.inputReader(StandardCharsets.US_ASCII)) {
            long child = Long.parseLong(out.readLine());
            assertThat(ProcessHandle.of(child)).isPresent();

            ChildProcesses.kill(jvm);

            Awaitility.await("the child is gone")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> ProcessHandle.of(child)
                            .filter(ProcessHandle::isAlive)
                            .isEmpty());
        } finally {
            jvm.destroyForcibly();
        }
    }
}
