// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import dev.tenure.support.ChildProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** {@code etcdctl elect}, as an operator would start it. */
final class EtcdctlElect implements AutoCloseable {
    private final Process process;
    private final Path output;
    private final String proposal;

    EtcdctlElect(EtcdCluster cluster, String election, String proposal) throws IOException {
        this.proposal = proposal;
        this.output = Files.createTempFile("etcdctl-", ".out");
        ProcessBuilder builder = new ProcessBuilder(
                        cluster.servers().etcdctl().toString(),
                        "--endpoints=" + cluster.endpoints(),
                        "elect",
                        election,
                        proposal)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("ETCDCTL_API", "3");
        this.process = builder.start();
        ChildProcesses.endWithThisJvm(process.toHandle());
    }

    /** It prints key and proposal when it is elected. */
    boolean isElected() throws IOException {
        return Files.readString(output).contains(proposal);
    }

    /** SIGTERM: it resigns. */
    void resign() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            throw new AssertionError("etcdctl does not end");
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(output);
    }
}
