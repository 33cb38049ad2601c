// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** A candidate as the director sees it: a process that reports, and can be killed, stopped and continued. */
record DemoProcess(int number, String name, Process process) {
    static DemoProcess start(int number, String name, Path store) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command =
                new ArrayList<>(List.of(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), DemoCandidate.class.getName()));
        command.addAll(List.of(name, "local:" + store));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new DemoProcess(number, name, process);
    }

    /** Calls back with every line that the process reports. */
    void listen(BiConsumer<DemoProcess, String> reports) {
        daemon("demo-" + name, () -> {
            try {
                process.inputReader(StandardCharsets.UTF_8).lines().forEach(line -> reports.accept(this, line));
            } catch (UncheckedIOException killed) {
                return; // as the play has it
            }
        });
    }

    /** Answers a line that it has reported. */
    void answer(String line) {
        try {
            process.outputWriter(StandardCharsets.UTF_8).write(line + '\n');
            process.outputWriter(StandardCharsets.UTF_8).flush();
        } catch (IOException killed) {
            return; // as the play has it
        }
    }

    /** Returns when the signal has been sent and, if it is a stop, has taken effect. */
    void signal(String signal) {
        try {
            new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                    .start()
                    .waitFor();
            while (signal.equals("STOP") && !isStopped()) {
                Thread.sleep(1);
            }
        } catch (IOException noShell) {
            throw new UncheckedIOException(noShell);
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isStopped() throws IOException {
        Path stat = Path.of("/proc/" + process.pid() + "/stat");
        if (!Files.exists(stat)) {
            return true; // gone, or no Linux: then the signal has to be trusted
        }
        String text = Files.readString(stat);
        return text.startsWith("T", text.lastIndexOf(')') + 2);
    }

    static void daemon(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }
}
