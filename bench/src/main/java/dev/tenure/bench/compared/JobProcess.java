// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import dev.tenure.sql.servers.ServerClock;
import dev.tenure.support.ChildProcesses;
import dev.tenure.support.Folders;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process of a contender as the measurement sees it. */
final class JobProcess implements AutoCloseable {
    private static final Path LOG = Path.of("bench", "target", "compared.log");

    private final JobKind kind;
    private final String node;
    private final Path folder;
    private final Optional<ServerClock> clock;
    private final Process process;
    private final PrintWriter orders;
    private final Map<String, BlockingQueue<String>> answers = new ConcurrentHashMap<>();

    private JobProcess(JobKind kind, String node, Path folder, Optional<ServerClock> clock, Process process) {
        this.kind = kind;
        this.node = node;
        this.folder = folder;
        this.clock = clock;
        this.process = process;
        this.orders = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread listener = new Thread(this::listen, "listens to " + process.pid());
        listener.setDaemon(true);
        listener.start();
    }

    /**
     * @param idle whether its job is not due
     * @param ownClock whether its clock can be moved
     */
    static JobProcess start(JobKind kind, String url, String node, boolean idle, boolean ownClock) throws Exception {
        List<String> command = new ArrayList<>();
        Path folder = Folders.temporary("compared");
        Optional<ServerClock> clock = Optional.empty();
        if (ownClock) {
            clock = Optional.of(ServerClock.in(folder));
            // A JVM looks at its clocks, and at the age of files, all the time.
            command.addAll(clock.get().prefix());
            command.remove("FAKETIME_NO_CACHE=1");
            command.addAll(List.of("FAKETIME_CACHE_DURATION=1", "NO_FAKE_STAT=1"));
            command.add("FAKETIME_FORCE_MONOTONIC_FIX=0"); // else every thread that waits spins
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-Djava.util.logging.config.file="
                        + System.getProperty("java.util.logging.config.file", "bench/logging.properties"),
                "-cp",
                System.getProperty("java.class.path"),
                JobMain.class.getName(),
                kind.name(),
                url,
                node,
                Boolean.toString(idle)));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(LOG.toFile()))
                .start();
        ChildProcesses.endWithThisJvm(process.toHandle()); // one that is stopped does not see its input end
        JobProcess started = new JobProcess(kind, node, folder, clock, process);
        started.await("ready");
        return started;
    }

    private void listen() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                queue(line.split(" ")[0]).add(line);
            }
        } catch (IOException ended) {
            return;
        }
    }

    private BlockingQueue<String> queue(String event) {
        return answers.computeIfAbsent(event, name -> new LinkedBlockingQueue<>());
    }

    String node() {
        return node;
    }

    /** How far its clock is ahead from now on. */
    void moveClock(Duration ahead) {
        clock.orElseThrow().move(ahead);
    }

    /** An order whose answer begins with it. */
    String ask(String order) throws InterruptedException {
        order(order);
        return await(order);
    }

    void order(String order) {
        orders.println(order);
    }

    /** The next line that begins so, whenever it came. */
    String await(String event) throws InterruptedException {
        String line = queue(event).poll(FaultRun.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null) {
            throw new IllegalStateException(kind.title() + ": the " + node + " process has not said '" + event
                    + "' within " + FaultRun.PATIENCE.toSeconds() + " s; see " + LOG);
        }
        return line;
    }

    void forget(String event) {
        queue(event).clear();
    }

    void wake() {
        ChildProcesses.resume(process.toHandle());
    }

    void awaitEnd() throws InterruptedException {
        if (!process.waitFor(FaultRun.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(kind.title() + ": the " + node + " process was killed and lives");
        }
    }

    @Override
    public void close() {
        ChildProcesses.kill(process);
        Folders.delete(folder);
    }
}
