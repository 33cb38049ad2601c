// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static org.awaitility.Awaitility.await;

import dev.tenure.sql.servers.SqlServer;
import dev.tenure.support.ChildProcesses;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Processes of which one leads. It is killed or stopped around its statements; the dead are replaced, and the stopped wake up late. */
final class Workers implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final List<String> FAULTS = List.of("KILL-BEFORE", "KILL-AFTER", "STOP-BEFORE", "STOP-AFTER");

    private final SqlServer server;
    private final List<String> prefix;
    private final List<String> work;
    private final Random random;
    private final Map<String, Process> processes = new HashMap<>();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private int started;

    /** With one that leads, one is left when the leader is struck and the next one, too, before it could be told not to be. */
    private static final int WORKERS = 3;

    Workers(SqlServer server, long seed, String... work) {
        this(server, List.of(), seed, work);
    }

    /** @param prefix of their command, for a clock of their own */
    Workers(SqlServer server, List<String> prefix, long seed, String... work) {
        this.prefix = prefix;
        this.server = server;
        this.work = List.of(work);
        this.random = new Random(seed);
    }

    void start() {
        start(WORKERS);
    }

    void start(int count) {
        for (int i = 0; i < count; i++) {
            String node = "w" + ++started;
            List<String> command = new ArrayList<>(prefix);
            command.addAll(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xmx128m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    WorkerMain.class.getName(),
                    node,
                    url()));
            command.addAll(work);
            try {
                Process process = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                ChildProcesses.endWithThisJvm(process.toHandle());
                processes.put(node, process);
                Thread reader = new Thread(() -> read(node, process), "reads " + node);
                reader.setDaemon(true);
                reader.start();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    /** MariaDB ends idle transactions only if it is told to. */
    private String url() {
        return server.url() + (server.url().contains("mariadb") ? "&sessionVariables=idle_transaction_timeout=2" : "");
    }

    private void read(String node, Process process) {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(node + " " + line);
            }
        } catch (IOException ended) {
            lines.add(node + " ended");
        }
    }

    List<String> lines() {
        return lines;
    }

    /**
     * Lets the leader meet its fate, or the next one if it does not lead any more when it comes to that; waits for its successor, and
     * puts a process in its place.
     */
    void strikeLeader(int kind) {
        String fault = FAULTS.get(kind % FAULTS.size());
        String signal = fault.substring(0, 4);
        String order = fault + " " + (1 + random.nextInt(8));
        Set<String> armed = new HashSet<>();
        await("the fault").atMost(PATIENCE).until(() -> {
            String leader = leader();
            if (processes.containsKey(leader) && lines.contains(leader + " READY") && armed.add(leader)) {
                tell(leader, order);
            }
            return hasEnded() || struck(armed, signal) != null;
        });
        String struck = struck(armed, signal);
        armed.stream().filter(node -> !node.equals(struck)).forEach(node -> tell(node, "NONE 0"));
        if (struck == null) {
            return;
        }
        Process process = processes.get(struck);
        if (signal.equals("KILL")) {
            await("its end").atMost(PATIENCE).until(() -> !process.isAlive());
            processes.remove(struck);
        } else {
            await("a successor").atMost(PATIENCE).until(() -> !leader().equals(struck));
            lines.remove(struck + " " + signal);
            ChildProcesses.resume(process.toHandle());
        }
        start(WORKERS - processes.size());
    }

    private @Nullable String struck(Set<String> armed, String signal) {
        return armed.stream()
                .filter(node -> lines.contains(node + " " + signal))
                .findFirst()
                .orElse(null);
    }

    boolean hasEnded() {
        return lines.stream().anyMatch(line -> line.endsWith(" ALL"));
    }

    /** The one that has raised a fence last. */
    private String leader() {
        try {
            return server.ask("SELECT holder FROM tenure_fence ORDER BY token DESC LIMIT 1");
        } catch (IllegalStateException notYet) {
            return "";
        }
    }

    private void tell(String node, String line) {
        if (!processes.containsKey(node)) {
            return;
        }
        try {
            processes.get(node).getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            processes.get(node).getOutputStream().flush();
        } catch (IOException dead) {
            lines.add(node + " cannot be told");
        }
    }

    /** In order. */
    void quit() {
        processes.values().stream().filter(Process::isAlive).forEach(each -> ChildProcesses.resume(each.toHandle()));
        processes.keySet().forEach(node -> tell(node, "QUIT"));
        processes
                .values()
                .forEach(process -> await("an orderly end").atMost(PATIENCE).until(() -> !process.isAlive()));
    }

    @Override
    public void close() {
        processes.values().forEach(ChildProcesses::kill);
    }
}
