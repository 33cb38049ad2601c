// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.candidate;

import dev.tenure.support.ChildProcesses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A candidate as a process that can be stopped, continued, killed and started again. */
public final class CandidateProcess implements AutoCloseable {
    /** What stays the same over all its lives. */
    public record Role(String node, String url, int ledgerPort, Duration ttl, CandidateMode mode, Path log) {}

    private final Role role;
    private Process process;

    private CandidateProcess(Role role) {
        this.role = role;
        this.process = launch(role);
    }

    public static CandidateProcess start(Role role) {
        return new CandidateProcess(role);
    }

    private static Process launch(Role role) {
        try {
            Process started = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx64m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-Xshare:auto",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Candidate.class.getName(),
                            role.url,
                            Integer.toString(role.ledgerPort),
                            role.node,
                            Long.toString(role.ttl.toMillis()),
                            role.mode.name()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(role.log.toFile()))
                    .start();
            ChildProcesses.endWithThisJvm(started.toHandle());
            return started;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public String node() {
        return role.node;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public void stop() {
        ChildProcesses.stop(process.toHandle());
    }

    public void goOn() {
        ChildProcesses.resume(process.toHandle());
    }

    /** With SIGKILL; returns when it is gone. */
    public void kill() {
        ChildProcesses.kill(process);
    }

    public void startAgain() {
        process = launch(role);
    }

    @Override
    public void close() {
        kill();
    }
}
