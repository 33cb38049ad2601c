// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The real command, in JVMs of its own. Everything that is started here carries a mark in its environment and writes to a
 * file of ours, so that whatever is left of it can be found and killed, however it was started.
 */
final class Cli implements AutoCloseable {
    private static final long EXIT_WITHIN_SECONDS = 60;
    private static final String MARK = "CLI_TEST_MARK=";

    // Whoever starts the build in the background has SIGINT ignored, and that would be inherited.
    private static final List<String> SANE_SIGNALS =
            List.of("perl", "-e", "$SIG{$_} = 'DEFAULT' for qw(INT HUP TERM QUIT); exec @ARGV");

    private final Path directory;
    private final String mark = UUID.randomUUID().toString();
    private final List<Call> calls = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();

    Cli(Path directory) {
        this.directory = directory;
    }

    String url() {
        return "local:" + directory.resolve("store");
    }

    /** For all that is started from now on. */
    Cli with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    Call start(String... words) {
        return start(commandLine(words));
    }

    /** The same command line, with the usual reaction to signals. */
    static List<String> withSaneSignals(String... words) {
        List<String> line = new ArrayList<>(SANE_SIGNALS);
        line.addAll(List.of(words));
        return line;
    }

    static List<String> commandLine(String... words) {
        List<String> line = withSaneSignals(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName());
        line.addAll(List.of(words));
        return line;
    }

    Call start(List<String> commandLine) {
        Path out = directory.resolve("out." + calls.size());
        Path err = directory.resolve("err." + calls.size());
        ProcessBuilder builder = new ProcessBuilder(commandLine)
                .directory(directory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        Map<String, String> all = builder.environment();
        all.keySet().removeIf(name -> name.startsWith("TENURE_"));
        all.putAll(environment);
        all.put(MARK.replace("=", ""), mark);
        try {
            Call call = new Call(builder.start(), out, err);
            calls.add(call);
            return call;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Runs it to its end. */
    Call run(String... words) {
        Call call = start(words);
        call.exit();
        return call;
    }

    /** What was started here and still runs, zombies aside. */
    List<Long> left() {
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(pid -> isRunning(pid) && (isMarked(pid) || hasOurFilesOpen(pid)))
                .toList();
    }

    private boolean isMarked(long pid) {
        return Stream.of(read(Path.of("/proc/" + pid + "/environ")).split("\0")).anyMatch((MARK + mark)::equals);
    }

    // A perl program that gives itself another name has overwritten its environment.
    private boolean hasOurFilesOpen(long pid) {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return descriptors.anyMatch(this::isOurs);
        } catch (IOException | UncheckedIOException gone) {
            return false;
        }
    }

    private boolean isOurs(Path descriptor) {
        try {
            Path target = Files.readSymbolicLink(descriptor);
            String name = String.valueOf(target.getFileName());
            return target.startsWith(directory) && (name.startsWith("out.") || name.startsWith("err."));
        } catch (IOException closed) {
            return false;
        }
    }

    @Override
    public void close() {
        for (int rounds = 0; rounds < 100 && !left().isEmpty(); rounds++) {
            left().forEach(pid -> signal("KILL", pid));
        }
    }

    static boolean isRunning(long pid) {
        String stat = read(Path.of("/proc/" + pid + "/stat"));
        return !stat.isEmpty() && !stat.startsWith("Z", stat.lastIndexOf(')') + 2);
    }

    static void signal(String signal, long pid) {
        try {
            new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid + " 2>/dev/null")
                    .start()
                    .waitFor();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** What is in the file, or nothing. */
    static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException absent) {
            return "";
        }
    }

    static List<String> lines(Path file) {
        return read(file).lines().toList();
    }

    /** One call of {@code tenure}. */
    record Call(Process process, Path outFile, Path errFile) {
        int exit() {
            try {
                if (!process.waitFor(EXIT_WITHIN_SECONDS, TimeUnit.SECONDS)) {
                    throw new AssertionError("still runs; so far it has said\n" + out() + "\n" + err());
                }
                return process.exitValue();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }

        void mustExit(int code) {
            assertThat(exit())
                    .as(() -> "exit code; it has said\n" + out() + "\n" + err())
                    .isEqualTo(code);
        }

        String out() {
            return read(outFile);
        }

        String err() {
            return read(errFile);
        }

        Call awaitErr(String part) {
            await("'" + part + "' on standard error")
                    .atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> err().contains(part));
            return this;
        }

        Call awaitOut(String part) {
            await("'" + part + "' on standard output")
                    .atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> out().contains(part));
            return this;
        }

        void signal(String name) {
            Cli.signal(name, process.pid());
        }
    }
}
