// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.cluster;

import dev.tenure.support.ChildProcesses;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One server process. It dies with this JVM, however that ends. */
public final class EtcdNode {
    private final Path program;
    private final List<String> arguments;
    private final Path log;
    private final int clientPort;
    private Optional<Process> process = Optional.empty();
    private Optional<SteppedClock> clock = Optional.empty();

    public EtcdNode(Path program, List<String> arguments, Path log, int clientPort) {
        this.program = program;
        this.arguments = List.copyOf(arguments);
        this.log = log;
        this.clientPort = clientPort;
    }

    public int clientPort() {
        return clientPort;
    }

    public String endpoint() {
        return "127.0.0.1:" + clientPort;
    }

    public void start() {
        List<String> command = new ArrayList<>();
        command.add(program.toString());
        command.addAll(arguments);
        try {
            Process started = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            ChildProcesses.endWithThisJvm(started.toHandle());
            process = Optional.of(started);
            clock = Optional.empty();
        } catch (IOException failure) {
            throw new IllegalStateException("etcd cannot be started", failure);
        }
    }

    /** Its data are those of this backup when it starts. It must not run. */
    void restoreFrom(Path backup, Path etcdctl) {
        List<String> command = new ArrayList<>(List.of(etcdctl.toString(), "snapshot", "restore", backup.toString()));
        arguments.stream().filter(EtcdNode::isOfMembership).forEach(command::add);
        run(command);
    }

    private static boolean isOfMembership(String argument) {
        return argument.startsWith("--name=")
                || argument.startsWith("--data-dir=")
                || argument.startsWith("--initial-");
    }

    static void run(List<String> command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD);
            builder.environment().put("ETCDCTL_API", "3");
            Process program = builder.start();
            if (!program.waitFor(60, TimeUnit.SECONDS) || program.exitValue() != 0) {
                program.destroyForcibly();
                throw new IllegalStateException("failed: " + String.join(" ", command));
            }
        } catch (IOException failure) {
            throw new IllegalStateException("cannot be started: " + command.get(0), failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    public boolean isRunning() {
        return process.filter(Process::isAlive).isPresent();
    }

    public void kill() {
        process.ifPresent(ChildProcesses::kill);
    }

    /** Alive, silent, and with all its connections open. */
    public void stop() {
        ChildProcesses.stop(process.orElseThrow().toHandle());
    }

    public void goOn() {
        ChildProcesses.resume(process.orElseThrow().toHandle());
    }

    /** How far its wall clock goes before the machine's, until it ends. On x86-64 only. */
    public void moveClock(Duration ahead) {
        try {
            if (clock.isEmpty()) {
                clock = Optional.of(SteppedClock.of(process.orElseThrow().pid()));
            }
            clock.get().move(ahead);
        } catch (IOException failure) {
            throw new IllegalStateException("its clock cannot be moved", failure);
        }
    }
}
