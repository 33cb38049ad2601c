// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.crash;

import dev.tenure.support.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Three members of a group with {@code profile=fast}, each a process. The leader is killed with SIGKILL, again and again; the time is from
 * before the kill until the next one's duty begins, on the clock that all processes of a machine share. The killed one is started anew
 * before the next kill, and has to be a member again.
 */
public final class PeersCrash {
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final Duration STEP = Duration.ofSeconds(30);
    /** So that the one that came back is known to the others as one that stands. */
    private static final Duration SETTLE = Duration.ofMillis(300);

    private final Path directory;
    private final String members;
    private final LinkedBlockingQueue<Report> reports = new LinkedBlockingQueue<>();
    private final Map<String, Process> running = new HashMap<>();
    /** The process that has reported last that it leads: on a busy machine one may be replaced without being killed. */
    private volatile String newest = "";

    private record Report(String by, String what, long nanos) {}

    private PeersCrash(Path directory) {
        this.directory = directory;
        List<String> list = new ArrayList<>();
        List<Integer> ports = Ports.free(NAMES.size());
        for (int i = 0; i < ports.size(); i++) {
            list.add(NAMES.get(i) + "@127.0.0.1:" + ports.get(i));
        }
        members = String.join(",", list);
    }

    public static void measure(Path directory, int crashes, PrintStream out) throws Exception {
        PeersCrash bench = new PeersCrash(directory);
        try {
            bench.run(crashes, out);
        } finally {
            for (Process process : bench.running.values()) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private void run(int crashes, PrintStream out) throws Exception {
        for (String name : NAMES) {
            start(name);
        }
        for (int i = 0; i < NAMES.size(); i++) {
            await("STANDS");
        }
        await("LEADS");
        List<Long> tookNanos = new ArrayList<>();
        for (int crash = 0; crash < crashes; crash++) {
            TimeUnit.NANOSECONDS.sleep(SETTLE.toNanos());
            reports.clear();
            String leader = newest;
            long killedNanos = System.nanoTime();
            Optional.ofNullable(running.remove(leader))
                    .orElseThrow()
                    .destroyForcibly()
                    .waitFor();
            Report next = await("LEADS");
            tookNanos.add(next.nanos() - killedNanos);
            start(leader);
            await("STANDS");
        }
        print(tookNanos, out);
    }

    private void start(String name) throws IOException {
        String url = "peers://" + members + "?me=" + name + "&profile=fast&data=" + directory.resolve(name);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CrashCandidate.class.getName(),
                        url,
                        name)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        running.put(name, process);
        Thread listener = new Thread(() -> listen(name, process), "crash-" + name);
        listener.setDaemon(true);
        listener.start();
    }

    private void listen(String name, Process process) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null) {
                String[] parts = line.split(" ", -1);
                newest = parts[0].equals("LEADS") ? name : newest;
                reports.add(new Report(name, parts[0], Long.parseLong(parts[1])));
                line = lines.readLine();
            }
        } catch (IOException ended) {
            // it was killed
        }
    }

    private Report await(String what) throws InterruptedException {
        long byNanos = System.nanoTime() + STEP.toNanos();
        while (true) {
            Report next = reports.poll(byNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw new IllegalStateException("nobody has told " + what + " within " + STEP.toSeconds() + " s");
            }
            if (next.what().equals(what)) {
                return next;
            }
        }
    }

    private static void print(List<Long> tookNanos, PrintStream out) {
        List<Long> sorted = tookNanos.stream().sorted().toList();
        out.printf(
                Locale.ROOT,
                "peers://, profile fast, SIGKILL of the leader until the next one's duty: p50 %.0f ms (p10 %.0f, p90 %.0f, max %.0f,"
                        + " n=%d)%n",
                at(sorted, 5),
                at(sorted, 1),
                at(sorted, 9),
                at(sorted, 10),
                sorted.size());
    }

    private static double at(List<Long> sorted, int tenths) {
        return sorted.get((sorted.size() - 1) * tenths / 10) / 1e6;
    }
}
