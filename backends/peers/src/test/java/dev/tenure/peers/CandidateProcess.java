// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.support.ChildProcesses;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** {@link CandidateMain} in a process of its own, and what it has told. */
final class CandidateProcess implements AutoCloseable {
    private final Process process;
    private final List<Told> told = new CopyOnWriteArrayList<>();

    record Told(String what, long token, long nanos) {}

    CandidateProcess(String url, String name, Path log) {
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx64m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            CandidateMain.class.getName(),
                            url,
                            name)
                    .redirectError(log.toFile())
                    .start();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        Thread listener = new Thread(this::listen, "candidate-" + name);
        listener.setDaemon(true);
        listener.start();
    }

    private void listen() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null) {
                String[] parts = line.split(" ", -1);
                told.add(new Told(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2])));
                line = lines.readLine();
            }
        } catch (IOException ended) {
            // the process was killed
        }
    }

    boolean stands() {
        return told.stream().anyMatch(each -> each.what().equals("STANDS"));
    }

    /** The last beginning, if it has not ended yet as far as the process has said. */
    Optional<Told> leading() {
        return last("BEGIN")
                .filter(begun -> last("END")
                        .filter(ended -> ended.token() == begun.token())
                        .isEmpty());
    }

    Optional<Told> last(String what) {
        return told.stream().filter(each -> each.what().equals(what)).reduce((before, after) -> after);
    }

    Optional<Told> endOf(long token) {
        return told.stream()
                .filter(each -> each.what().equals("END") && each.token() == token)
                .findFirst();
    }

    void kill() {
        process.destroyForcibly();
    }

    void stop() {
        ChildProcesses.stop(process.toHandle());
    }

    void goOn() {
        ChildProcesses.resume(process.toHandle());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
