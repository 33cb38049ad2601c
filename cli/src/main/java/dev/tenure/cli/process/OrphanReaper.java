// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Ends what a dead guardian leaves behind. The kernel has killed the command itself; its orphans went to init and are
 * no longer anybody's descendants. They are found by the session that the command led, and, if they left that too, by
 * the environment that they inherited: election, token and holder together belong to one term only.
 */
final class OrphanReaper {

    private static final int ROUNDS_UNTIL_STUCK = 10;
    private static final long ROUND_MILLIS = 100;

    private OrphanReaper() {}

    /** Kills until nothing is found, however long that takes; {@code onStuck} hears of what SIGKILL does not end. */
    static void kill(
            @Nullable ProcessHandle command,
            long session,
            Map<String, String> environment,
            Consumer<List<Long>> onStuck) {
        Set<String> marks = environment.entrySet().stream()
                .map(entry -> entry.getKey() + '=' + entry.getValue())
                .collect(Collectors.toSet());
        for (int round = 1; ; round++) {
            List<ProcessHandle> found = find(command, session, marks);
            if (found.isEmpty()) {
                return;
            }
            if (round == ROUNDS_UNTIL_STUCK) {
                onStuck.accept(found.stream().map(ProcessHandle::pid).toList());
            }
            found.forEach(ProcessHandle::destroyForcibly);
            awaitEnd(found.get(0));
        }
    }

    private static List<ProcessHandle> find(@Nullable ProcessHandle command, long session, Set<String> marks) {
        long self = ProcessHandle.current().pid();
        Stream<ProcessHandle> known =
                command == null ? Stream.of() : Stream.concat(Stream.of(command), command.descendants());
        Stream<ProcessHandle> orphans = ProcessHandle.allProcesses()
                .filter(handle -> inSession(handle.pid(), session) || carries(handle.pid(), marks));
        return Stream.concat(known, orphans)
                .filter(handle -> handle.pid() != self && isRunning(handle))
                .distinct()
                .toList();
    }

    private static boolean isRunning(ProcessHandle handle) {
        return handle.isAlive() && !stat(handle.pid()).startsWith("Z");
    }

    private static boolean inSession(long pid, long session) {
        String[] fields = stat(pid).split(" "); // state, parent, group, session
        return session != 0 && fields.length > 3 && fields[3].equals(Long.toString(session));
    }

    private static boolean carries(long pid, Set<String> marks) {
        return !marks.isEmpty()
                && new HashSet<>(Arrays.asList(read(pid, "environ").split("\0"))).containsAll(marks);
    }

    /** What follows the name, which may itself contain blanks and parentheses. */
    private static String stat(long pid) {
        String stat = read(pid, "stat");
        return stat.substring(Math.min(stat.length(), stat.lastIndexOf(')') + 2));
    }

    private static String read(long pid, String file) {
        try {
            return new String(Files.readAllBytes(Path.of("/proc", Long.toString(pid), file)), StandardCharsets.UTF_8);
        } catch (IOException goneOrSomebodyElses) {
            return "";
        }
    }

    private static void awaitEnd(ProcessHandle handle) {
        try {
            handle.onExit().get(ROUND_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException notYet) {
            return; // the next round looks again
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
