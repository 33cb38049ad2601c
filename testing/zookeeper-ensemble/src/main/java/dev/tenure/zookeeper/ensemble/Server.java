// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.ensemble;

import dev.tenure.support.ChildProcesses;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** One server of an ensemble, as a process that can be killed, stopped, continued and started again. */
public final class Server {
    private static final Duration HELD_WITHIN = Duration.ofSeconds(30);

    private final Path folder;
    private final int port;
    private final List<String> properties;
    private Process process;

    Server(Path folder, int port, List<String> properties) throws IOException {
        this.folder = folder;
        this.port = port;
        this.properties = properties;
        this.process = launch();
    }

    private Process launch() throws IOException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dzookeeper.jmx.log4j.disable=true",
                "-Dzookeeper.4lw.commands.whitelist=*",
                "-Dzookeeper.admin.enableServer=false"));
        line.addAll(properties);
        line.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                ServerMain.class.getName(),
                folder.resolve("zoo.cfg").toString()));
        File log = folder.resolve("server.log").toFile();
        Process started = new ProcessBuilder(line)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .redirectError(ProcessBuilder.Redirect.appendTo(log))
                .start();
        ChildProcesses.endWithThisJvm(started.toHandle());
        return started;
    }

    public int port() {
        return port;
    }

    public String address() {
        return "127.0.0.1:" + port;
    }

    /** Its snapshots and its journal; not the number that it has in the ensemble. */
    Path history() {
        return folder.resolve("data/version-2");
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** {@code leader} or {@code follower}; empty while it does not serve. */
    public Optional<String> mode() {
        return ask("srvr")
                .lines()
                .filter(line -> line.startsWith("Mode: "))
                .map(line -> line.substring("Mode: ".length()))
                .findFirst();
    }

    /** What it answers to one of ZooKeeper's four letter words; empty if it does not. */
    public String ask(String word) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
            socket.setSoTimeout(1000);
            OutputStream out = socket.getOutputStream();
            out.write(word.getBytes(StandardCharsets.US_ASCII));
            out.flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException silent) {
            return "";
        }
    }

    /** One of the numbers that it keeps, by the name that {@code mntr} gives it. */
    public long counter(String name) {
        return ask("mntr")
                .lines()
                .filter(line -> line.startsWith(name + "\t"))
                .mapToLong(
                        line -> Long.parseLong(line.substring(name.length() + 1).strip()))
                .findFirst()
                .orElse(0);
    }

    public void kill() {
        ChildProcesses.kill(process);
    }

    /** Ends a client's session as an operator can, if that client is connected to this server; returns before it is done. */
    public void endSession(long session) throws IOException {
        order("0x" + Long.toHexString(session));
    }

    /** From now on it agrees to nothing that its leader proposes, and does everything else. Once in its life. */
    public void holdJournal() throws IOException {
        order(ServerMain.HOLD);
        long byNanos = System.nanoTime() + HELD_WITHIN.toNanos();
        while (!Files.readString(folder.resolve("server.log")).contains(TransactionLogHold.HELD)) {
            if (System.nanoTime() - byNanos > 0) {
                throw new AssertionError("server " + process.pid() + " does not hold its journal");
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    public void letJournalGo() throws IOException {
        order(ServerMain.LET_GO);
    }

    private void order(String order) throws IOException {
        OutputStream orders = process.getOutputStream();
        orders.write((order + "\n").getBytes(StandardCharsets.US_ASCII));
        orders.flush();
    }

    public void startAgain() throws IOException {
        process = launch();
    }

    public void stop() {
        ChildProcesses.stop(process.toHandle());
    }

    public void resume() {
        ChildProcesses.resume(process.toHandle());
    }

    void destroy() {
        process.destroyForcibly().onExit().join();
    }
}
