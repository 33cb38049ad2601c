// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local.process;

import dev.tenure.support.ChildProcesses;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A candidate as the test sees it: a process that can be told things, stopped, continued and killed. */
final class CandidateProcess implements AutoCloseable {
    private final String node;
    private final Process process;
    private final PrintWriter orders;

    private CandidateProcess(String node, Process process) {
        this.node = node;
        this.process = process;
        this.orders = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    static CandidateProcess start(String node, Path directory, int port, long ttlMillis) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CandidateMain.class.getName(),
                        directory.toString(),
                        Integer.toString(port),
                        node,
                        Long.toString(ttlMillis))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.to(new File(directory + "-" + node + ".log")))
                .start();
        return new CandidateProcess(node, process);
    }

    String node() {
        return node;
    }

    void order(String what) {
        orders.println(what);
    }

    void stop() {
        ChildProcesses.stop(process.toHandle());
    }

    void resume() {
        ChildProcesses.resume(process.toHandle());
    }

    void kill() {
        ChildProcesses.kill(process);
    }

    @Override
    public void close() {
        kill();
    }
}
