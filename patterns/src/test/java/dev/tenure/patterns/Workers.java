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
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/** Processes of which one leads. It is killed or stopped around its statements; the dead are replaced, and the stopped wake up late. */
final class Workers implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final List<String> FAULTS = List.of("KILL-BEFORE", "KILL-AFTER", "STOP-BEFORE", "STOP-AFTER");

    private final SqlServer server;
    private final List<String> work;
    private final Random random;
    private final Map<String, Process> processes = new HashMap<>();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private int started;

    Workers(SqlServer server, long seed, String... work) {
        this.server = server;
        this.work = List.of(work);
        this.random = new Random(seed);
    }

    void start(int count) {
        for (int i = 0; i < count; i++) {
            String node = "w" + ++started;
            List<String> command = new ArrayList<>(List.of(
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

    /** Lets the leader of this moment meet its fate, waits for its successor, and puts a process in its place. */
    void strikeLeader(int kind) {
        String leader = awaitLeader();
        String fault = FAULTS.get(kind % FAULTS.size());
        tell(leader, fault + " " + (1 + random.nextInt(8)));
        String signal = fault.substring(0, 4);
        await("the fault").atMost(PATIENCE).until(() -> lines.contains(leader + " " + signal));
        Process process = processes.remove(leader);
        if (signal.equals("KILL")) {
            await("its end").atMost(PATIENCE).until(() -> !process.isAlive());
            start(1);
            return;
        }
        start(1);
        await("a successor").atMost(PATIENCE).until(() -> !leader().equals(leader));
        ChildProcesses.resume(process.toHandle());
        processes.put(leader, process);
    }

    private String awaitLeader() {
        await("a leader").atMost(PATIENCE).until(() -> processes.containsKey(leader())
                && lines.contains(leader() + " READY"));
        return leader();
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
        try {
            processes.get(node).getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            processes.get(node).getOutputStream().flush();
        } catch (IOException dead) {
            lines.add(node + " cannot be told");
        }
    }

    /** In order. */
    void quit() {
        processes.keySet().forEach(node -> tell(node, "QUIT"));
        processes.values()
                .forEach(process -> await("an orderly end").atMost(PATIENCE).until(() -> !process.isAlive()));
    }

    @Override
    public void close() {
        processes.values().forEach(ChildProcesses::kill);
    }
}
