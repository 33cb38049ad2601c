// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** One server process with its workers. It dies with this JVM, however that ends. */
public final class ServerProcess {
    private static final int END_SECONDS_MAX = 30;

    private final List<String> command;
    private final Map<String, String> environment;
    private final Path folder;
    private Optional<Process> running = Optional.empty();

    /** @param folder all that the server writes; its output goes into {@code log} there */
    public ServerProcess(List<String> command, Map<String, String> environment, Path folder) {
        this.command = List.copyOf(command);
        this.environment = Map.copyOf(environment);
        this.folder = folder;
    }

    public void start() {
        Process started = launch(command, environment, folder);
        ChildProcesses.endWithThisJvm(started.toHandle(), folder);
        running = Optional.of(started);
    }

    public boolean isRunning() {
        return running.filter(Process::isAlive).isPresent();
    }

    /** As a crash of the machine: the server and all its workers at once, without a farewell. */
    public void kill() {
        running.filter(Process::isAlive).ifPresent(process -> {
            List<ProcessHandle> workers = process.descendants().toList();
            process.destroyForcibly();
            workers.forEach(ProcessHandle::destroyForcibly);
            await(process);
            // Until then they hold what the next start wants to have for itself.
            awaitEnd(workers);
        });
    }

    private static void awaitEnd(List<ProcessHandle> workers) {
        long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS_MAX);
        while (workers.stream().anyMatch(ServerProcess::isAtWork)) {
            if (System.nanoTime() - untilNanos >= 0) {
                throw new IllegalStateException("the workers of a killed server do not end");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** A process that nobody has asked for its exit yet is there, and does nothing any more. */
    private static boolean isAtWork(ProcessHandle worker) {
        try {
            String stat = Files.readString(Path.of("/proc/" + worker.pid() + "/stat"));
            return !stat.substring(stat.lastIndexOf(')')).startsWith(") Z");
        } catch (IOException gone) {
            return false;
        }
    }

    /** Ends it with a signal that it obeys. */
    public void end(String signal) {
        running.filter(Process::isAlive).ifPresent(process -> {
            goOn();
            signal(signal, Stream.of(process.toHandle()));
            await(process);
        });
    }

    /** Alive, silent, and with all its connections open. */
    public void freeze() {
        Process process = running.orElseThrow();
        signal("-STOP", Stream.of(process.toHandle()));
        signal("-STOP", process.descendants());
    }

    public void goOn() {
        Process process = running.orElseThrow();
        signal("-CONT", Stream.concat(process.descendants(), Stream.of(process.toHandle())));
    }

    private static void signal(String signal, Stream<ProcessHandle> processes) {
        List<String> command = new ArrayList<>(List.of("kill", signal));
        processes.map(process -> Long.toString(process.pid())).forEach(command::add);
        if (command.size() > 2) {
            runLeniently(command);
        }
    }

    private static void await(Process process) {
        try {
            if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("server " + process.pid() + " does not end");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static Process launch(List<String> command, Map<String, String> environment, Path folder) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            folder.resolve("log").toFile()));
            builder.environment().putAll(environment);
            return builder.start();
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot be started: " + command.get(0), failure);
        }
    }

    /** Runs a program to its end, with this on its input. */
    public static void run(List<String> command, Map<String, String> environment, Path folder, byte[] input) {
        Process program = launch(command, environment, folder);
        try (OutputStream in = program.getOutputStream();
                InputStream from = new ByteArrayInputStream(input)) {
            from.transferTo(in);
        } catch (IOException itDoesNotRead) {
            // Its exit tells.
        }
        await(program);
        if (program.exitValue() != 0) {
            throw new IllegalStateException("failed: " + String.join(" ", command) + "\n" + tail(folder));
        }
    }

    /** Runs a program to its end, in this folder. */
    public static void run(List<String> command, Path folder) {
        try {
            Process program = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            folder.resolve("log").toFile()))
                    .start();
            await(program);
            if (program.exitValue() != 0) {
                throw new IllegalStateException("failed: " + String.join(" ", command) + "\n" + tail(folder));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot be started: " + command.get(0), failure);
        }
    }

    private static String tail(Path folder) {
        try (Stream<String> lines = Files.lines(folder.resolve("log"))) {
            List<String> all = lines.toList();
            return String.join("\n", all.subList(Math.max(0, all.size() - 20), all.size()));
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }

    /** What the server has said last, for the message of a failure. */
    public String lastWords() {
        return tail(folder);
    }

    public static boolean succeeds(List<String> command) {
        try {
            Process program = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            await(program);
            return program.exitValue() == 0;
        } catch (IOException failure) {
            return false;
        }
    }

    /** A program whose failure does no harm, such as a signal to a process that has just gone. */
    public static void runLeniently(List<String> command) {
        try {
            await(new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot be started: " + command.get(0), failure);
        }
    }
}
