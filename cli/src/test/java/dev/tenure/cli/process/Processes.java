// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Looks at real processes, signals them, and leaves none behind. */
final class Processes implements AutoCloseable {

    /** On a machine that has much else to do. */
    static final Duration SOON = Duration.ofSeconds(60);

    private final List<Long> seen = new ArrayList<>();

    /** The process id that a script writes into a file once it runs. */
    long pidIn(Path file) {
        await().pollInterval(Duration.ofMillis(5))
                .atMost(SOON)
                .until(() -> Files.exists(file) && read(file).endsWith("\n"));
        return watch(Long.parseLong(read(file).strip()));
    }

    /** Has {@link #close} kill it if nobody else did. */
    long watch(long pid) {
        seen.add(pid);
        return pid;
    }

    /** A zombie is dead: it runs nothing, whoever has yet to reap it. */
    static boolean isRunning(long pid) {
        String state = state(pid);
        return !state.isEmpty() && !state.equals("Z") && !state.equals("X");
    }

    static String state(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return stat.substring(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
        } catch (IOException gone) {
            return "";
        }
    }

    static void awaitDead(Duration within, long... pids) {
        await().pollInterval(Duration.ofMillis(5)).atMost(within).until(() -> {
            for (long pid : pids) {
                if (isRunning(pid)) {
                    return false;
                }
            }
            return true;
        });
    }

    /** Who ignores a signal, as what was started with {@code nohup} or {@code &} does, hands that on to its children. */
    static boolean isIgnored(String name) throws IOException {
        int number = List.of("HUP", "INT").indexOf(name) + 1;
        String mask = read(Path.of("/proc/self/status")).replaceAll("(?s).*SigIgn:\\s*(\\p{XDigit}+).*", "$1");
        return ((Long.parseUnsignedLong(mask, 16) >> (number - 1)) & 1) != 0;
    }

    static void signal(String name, long pid) {
        kill(name, Long.toString(pid));
    }

    static void signalGroup(String name, long pid) {
        kill(name, "-" + pid);
    }

    private static void kill(String name, String target) {
        try {
            new ProcessBuilder("sh", "-c", "kill -" + name + " " + target + " 2>/dev/null")
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        seen.stream().filter(Processes::isRunning).forEach(pid -> signal("KILL", pid));
    }
}
