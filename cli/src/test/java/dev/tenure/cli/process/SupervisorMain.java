// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A supervisor for tests to stop and kill: leads at once, renews five times in each TTL, exits with the command's code.
 *
 * <p>{@code SupervisorMain DIRECTORY TTL_MILLIS GRACE_MILLIS COMMAND…} writes {@code command.pid} and {@code exit}
 * into the directory.
 */
final class SupervisorMain {

    private SupervisorMain() {}

    public static void main(String[] args) throws Exception {
        Path dir = Path.of(args[0]);
        long ttlNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[1]));
        Duration grace = Duration.ofMillis(Long.parseLong(args[2]));
        List<String> command = Arrays.asList(args).subList(3, args.length);
        Guardian guardian = Guardian.prepare(command, grace);
        ChildProcess child = guardian.start(
                Map.of("TENURE_ELECTION", "e", "TENURE_TOKEN", "1", "TENURE_HOLDER", "h"),
                System.nanoTime() + ttlNanos);
        Signals.handle("HUP", child::signal);
        Files.writeString(dir.resolve("command.pid"), child.pid() + "\n");
        Executors.newSingleThreadScheduledExecutor()
                .scheduleAtFixedRate(
                        () -> child.deadline(System.nanoTime() + ttlNanos), 0, ttlNanos / 5, TimeUnit.NANOSECONDS);
        Exit exit = child.ended().join();
        Files.writeString(dir.resolve("exit"), exit + "\n");
        System.exit(exit.code());
    }
}
