// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul.servers;

import dev.tenure.support.ChildProcesses;
import dev.tenure.support.Folders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** One server process. It dies with this JVM, however that ends. */
public final class ConsulNode {
    private final Path folder;
    private final int httpPort;
    private final int serverPort;
    private Optional<Process> process = Optional.empty();

    ConsulNode(Path folder, int httpPort, int serverPort) {
        this.folder = folder;
        this.httpPort = httpPort;
        this.serverPort = serverPort;
    }

    public int httpPort() {
        return httpPort;
    }

    /** Where it speaks with the other servers. */
    public String serverAddress() {
        return "127.0.0.1:" + serverPort;
    }

    public String endpoint() {
        return "127.0.0.1:" + httpPort;
    }

    public void start() {
        try {
            Process started = new ProcessBuilder(
                            ConsulProgram.path().toString(), "agent", "-config-file=" + folder.resolve("agent.json"))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            folder.resolve("log").toFile()))
                    .start();
            ChildProcesses.endWithThisJvm(started.toHandle());
            process = Optional.of(started);
        } catch (IOException failure) {
            throw new IllegalStateException("Consul cannot be started", failure);
        }
    }

    void empty() {
        Folders.delete(folder.resolve("data"));
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
}
