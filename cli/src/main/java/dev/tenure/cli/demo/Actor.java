package dev.tenure.cli.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiConsumer;

/** A candidate as the director sees it: a process that reports, and can be killed, stopped and continued. */
record Actor(int number, String name, Process process) {
    /** Calls back with every line that the process reports. */
    void listen(BiConsumer<Actor, String> reports) {
        Ledger.daemon("demo-" + name, () -> {
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    reports.accept(this, line);
                }
            } catch (IOException killed) {
                return; // as the play has it
            }
        });
    }

    /** Returns when the signal has been sent and, if it is a stop, has taken effect. */
    void signal(String signal) throws InterruptedException {
        try {
            new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                    .start()
                    .waitFor();
            while (signal.equals("STOP") && !isStopped()) {
                Thread.sleep(1);
            }
        } catch (IOException noShell) {
            throw new UncheckedIOException(noShell);
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
}
