package dev.tenure.cli.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A private directory and the processes that play in it. Both are gone when it is closed, or when the JVM ends. */
final class Stage implements AutoCloseable {
    private final Path directory;
    private final List<Process> processes = new CopyOnWriteArrayList<>();
    private final Thread hook = new Thread(this::clear, "demo-cleanup");

    Stage() throws IOException {
        directory = Files.createTempDirectory("tenure-demo-");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    String url() {
        return "local:" + directory.resolve("store");
    }

    Actor enter(int number, String name, int ledgerPort) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                DemoCandidate.class.getName()));
        command.addAll(List.of(name, url(), Integer.toString(ledgerPort)));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        processes.add(process);
        return new Actor(number, name, process);
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
        if (Files.exists(directory)) {
            delete();
        }
    }

    private void delete() {
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
}
