// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.seat;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.support.ChildProcesses;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A seat as the measurement sees it: a process that takes orders and tells what happened. */
public final class BenchProcessHandle implements AutoCloseable {
    /** What the contenders complain about: thousands of lines would bury the table. */
    public static final Path LOG = Path.of("bench", "target", "seats.log");

    private final Kind kind;
    private final Process process;
    private final PrintWriter orders;
    private final Map<String, BlockingQueue<BenchProcessLine>> lines = new ConcurrentHashMap<>();

    private BenchProcessHandle(Kind kind, Process process) {
        this.kind = kind;
        this.process = process;
        this.orders = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread listener = new Thread(this::listen, "seat " + process.pid());
        listener.setDaemon(true);
        listener.start();
    }

    public static BenchProcessHandle start(Kind kind, String address, Duration ttl) throws IOException {
        return start(kind, address, ttl, 0);
    }

    public static BenchProcessHandle start(Kind kind, String address, Duration ttl, int ledgerPort) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-Djava.util.logging.config.file="
                                + System.getProperty("java.util.logging.config.file", "bench/logging.properties"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        BenchProcessMain.class.getName(),
                        kind.name(),
                        address,
                        Long.toString(ttl.toMillis()),
                        Integer.toString(ledgerPort))
                .redirectError(ProcessBuilder.Redirect.appendTo(LOG.toFile()))
                .start();
        ChildProcesses.endWithThisJvm(process.toHandle()); // one that is stopped does not see its input end
        return new BenchProcessHandle(kind, process);
    }

    private void listen() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                BenchProcessLine heard = BenchProcessLine.parse(line);
                queue(heard.event()).add(heard);
            }
        } catch (IOException ended) {
            return;
        }
    }

    private BlockingQueue<BenchProcessLine> queue(String event) {
        return lines.computeIfAbsent(event, name -> new LinkedBlockingQueue<>());
    }

    public void order(String order, int client, Object... details) {
        StringBuilder line = new StringBuilder(order).append(' ').append(client);
        for (Object detail : details) {
            line.append(' ').append(detail);
        }
        orders.println(line);
    }

    /** The next event of this name, whenever it came. */
    public BenchProcessLine await(String event, Duration within) throws NotFinished, InterruptedException {
        BenchProcessLine heard = queue(event).poll(within.toMillis(), TimeUnit.MILLISECONDS);
        if (heard == null) {
            throw new NotFinished(kind.title() + ": no '" + event + "' within " + within.toSeconds() + " s");
        }
        return heard;
    }

    /** Alive, silent, and with all its connections open. */
    public void pause() throws IOException, InterruptedException {
        signal("-STOP");
    }

    public void wake() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("kill " + signal + " " + process.pid() + " failed");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
