package dev.tenure.cli.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** A private directory and the processes that play in it. Both are gone when it is closed, or when the JVM ends. */
final class DemoEnvironment implements AutoCloseable {
    private final Path directory;
    private final List<Process> processes = new CopyOnWriteArrayList<>();
    private final Thread hook = new Thread(this::clear, "demo-cleanup");

    DemoEnvironment() throws IOException {
        directory = Files.createTempDirectory("tenure-demo-");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    CandidateProcess enter(int number, String name) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command =
                new ArrayList<>(List.of(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), DemoCandidate.class.getName()));
        command.addAll(List.of(name, "local:" + directory.resolve("store")));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        processes.add(process);
        return new CandidateProcess(number, name, process);
    }

    private synchronized void clear() {
        processes.forEach(Process::destroyForcibly);
        try {
            for (Process process : processes) {
                process.waitFor(5, TimeUnit.SECONDS);
            }
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException left) {
            throw new UncheckedIOException("could not remove " + directory, left);
        }
    }

    @Override
    public void close() {
        clear();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            return; // the hook runs already, and finds nothing left to do
        }
    }

    static void daemon(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** A candidate as the director sees it: a process that reports, and can be killed, stopped and continued. */
    record CandidateProcess(int number, String name, Process process) {
        /** Calls back with every line that the process reports. */
        void listen(BiConsumer<CandidateProcess, String> reports) {
            daemon("demo-" + name, () -> {
                try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
                    for (String line = in.readLine(); line != null; line = in.readLine()) {
                        reports.accept(this, line);
                    }
                } catch (IOException killed) {
                    return; // as the play has it
                }
            });
        }

        /** Answers a line that it has reported. */
        void answer(String line) {
            try {
                process.outputWriter(StandardCharsets.UTF_8).write(line + '\n');
                process.outputWriter(StandardCharsets.UTF_8).flush();
            } catch (IOException killed) {
                return; // as the play has it
            }
        }

        /** Returns when the signal has been sent and, if it is a stop, has taken effect. */
        void signal(String signal) {
            try {
                new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                        .start()
                        .waitFor();
                while (signal.equals("STOP") && !isStopped()) {
                    Thread.sleep(1);
                }
            } catch (IOException noShell) {
                throw new UncheckedIOException(noShell);
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        }

        private boolean isStopped() throws IOException {
            Path stat = Path.of("/proc/" + process.pid() + "/stat");
            if (!Files.exists(stat)) {
                return true; // gone, or no Linux: then the signal has to be trusted
            }
            String text = Files.readString(stat);
            return text.startsWith("T", text.lastIndexOf(')') + 2);
        }
    }
}
