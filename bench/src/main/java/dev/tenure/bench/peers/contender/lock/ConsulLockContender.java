// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender.lock;

import dev.tenure.bench.peers.contender.Contender;
import dev.tenure.bench.peers.contender.LeadingCallback;
import dev.tenure.consul.servers.ConsulProgram;
import dev.tenure.support.ChildProcesses;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The program, one process for each election, with a child that ends when it is given a line. It grants itself 15 s. */
public final class ConsulLockContender implements Contender {
    private static final String CHILD = "echo leads; read end";

    private final String address;
    private final List<Process> running = new CopyOnWriteArrayList<>();

    public ConsulLockContender(String addresses) {
        this.address = addresses.split(",")[0];
    }

    @Override
    public Stand stand(String election, Leading leading) {
        try {
            Process process = new ProcessBuilder(
                            ConsulProgram.path().toString(),
                            "lock",
                            "-http-addr=http://" + address,
                            "-pass-stdin",
                            "consul-lock/" + election,
                            CHILD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            ChildProcesses.endWithThisJvm(process.toHandle());
            running.add(process);
            Thread reading = new Thread(() -> awaitChild(process, leading), "consul-lock");
            reading.setDaemon(true);
            reading.start();
            return new Stood(process);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void awaitChild(Process process, Leading leading) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals("leads")) {
                    LeadingCallback.begin(leading);
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public long heartbeats() {
        return 0;
    }

    @Override
    public void close() {
        running.forEach(Process::destroy);
    }

    private record Stood(Process process) implements Stand {
        @Override
        public boolean believes() {
            return process.isAlive();
        }

        @Override
        public long token() {
            return 0;
        }

        /** Its child ends. */
        @Override
        public void leave() throws IOException {
            try (OutputStream in = process.getOutputStream()) {
                in.write('\n');
            }
        }
    }
}
