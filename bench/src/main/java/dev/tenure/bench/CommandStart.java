// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;

/** How long {@code ./tenure run} on {@code local:} takes until its command runs: the command tells the time. */
final class CommandStart {
    private CommandStart() {}

    static void measure(Path directory, int starts, PrintStream out) throws Exception {
        start(directory); // builds the jars and writes the archive of classes, if need be
        long[] millis = new long[starts];
        for (int i = 0; i < starts; i++) {
            millis[i] = start(directory);
        }
        Arrays.sort(millis);
        out.printf(
                Locale.ROOT,
                "tenure run on local:, until the command runs: median %d ms (%d to %d, n=%d); must be <= 350%n",
                millis[starts / 2],
                millis[0],
                millis[starts - 1],
                starts);
    }

    private static long start(Path directory) throws IOException, InterruptedException {
        Instant began = Instant.now();
        Process process = new ProcessBuilder(
                        "./tenure",
                        "run",
                        "--url",
                        "local:" + directory,
                        "--election",
                        "start",
                        "--quiet",
                        "--",
                        "date",
                        "+%s%N")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0) {
            throw new IOException("tenure run failed: " + told);
        }
        return Duration.between(began, Instant.EPOCH.plusNanos(Long.parseLong(told)))
                .toMillis();
    }
}
