// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.process.Exit.EndReason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A command that runs for one term, and all that it starts. Thread-safe; none of the methods waits. Calls after the
 * end do nothing.
 *
 * <p>The guardian owns the processes; this object passes orders to it and learns from its reports:
 *
 * <pre>
 *   started, or failed/late       exec succeeded, or the command never ran
 *   ending                        SIGTERM went out: the deadline came, an order was given, the supervisor hung up
 *   killing                       SIGKILL went out
 *   exited, signaled              the command itself is over; the rest of its tree may still be ending
 *   gone                          no process of the tree is left: {@link #ended} completes
 *   end of file without gone      the guardian died: the tree is killed from here, then {@link #ended} completes
 * </pre>
 */
public final class ChildProcess {
    private static final int EXIT_NOT_FOUND = 127;
    private static final int ENOENT = 2;
    private static final int SIGKILL = 9;

    private final String name;
    private final GuardianConnection orders;
    private final Map<String, String> environment;
    private final CompletableFuture<ChildProcess> settled = new CompletableFuture<>();
    private final CompletableFuture<Exit> ended = new CompletableFuture<>();

    private volatile long pid;
    private volatile List<Long> stuck = List.of();
    private volatile boolean killing;

    // What the guardian was told last. Guarded by this.
    private long killAtNanos;
    private boolean stopped;

    // Only the thread that reads the reports touches these.
    private EndReason ending = EndReason.ITSELF;
    private @Nullable ProcessHandle handle; // null also if the command was over before we could look
    private @Nullable Exit exit;

    ChildProcess(String name, GuardianConnection orders, Map<String, String> environment, long validUntilNanos) {
        this.name = name;
        this.orders = orders;
        this.environment = environment;
        this.killAtNanos = validUntilNanos;
    }

    /** The process id of the command, which also names its session and process group; 0 if it never ran. */
    public long pid() {
        return pid;
    }

    /**
     * The term now ends at {@code validUntilNanos} of {@link System#nanoTime()}, later or earlier than before:
     * SIGTERM one grace ahead of it, SIGKILL on it. A tree that has begun to end is not called back.
     */
    public void deadline(long validUntilNanos) {
        synchronized (this) {
            if (!stopped || validUntilNanos - killAtNanos < 0) {
                killAtNanos = validUntilNanos;
            }
        }
        orders.deadline(validUntilNanos);
    }

    /** Passes a signal on: INT, QUIT and TERM to the command's process group, others to the command alone. */
    public void signal(int number) {
        if (number < 1 || number > 64) {
            throw new IllegalArgumentException("signal " + number + " must be 1 to 64");
        }
        orders.signal(number);
    }

    /** Ends the tree: SIGTERM now, SIGKILL after {@code grace} or at the deadline, whichever is first. */
    public void stop(Duration grace) {
        long stopAtNanos = System.nanoTime() + grace.toNanos();
        synchronized (this) {
            stopped = true;
            if (stopAtNanos - killAtNanos < 0) {
                killAtNanos = stopAtNanos;
            }
        }
        orders.stop(grace);
    }

    /**
     * Kills the guardian if it has not reported SIGKILL although it was due: it is stopped, or gets no time to run. The
     * kernel then kills the command, and the reader of the reports sweeps up the rest.
     *
     * @return for how many nanoseconds from now on the guardian need not be looked at
     */
    public long killIfOverdue() {
        if (killing || ended.isDone()) {
            return Long.MAX_VALUE;
        }
        long dueInNanos;
        synchronized (this) {
            dueInNanos = killAtNanos - System.nanoTime() + orders.silenceNanosMax();
        }
        if (dueInNanos > 0) {
            return dueInNanos;
        }
        orders.killGuardian();
        return Long.MAX_VALUE;
    }

    /**
     * Completes when the last process of the tree is dead, on the thread that reads the guardian's reports. Never
     * fails.
     */
    public CompletableFuture<Exit> ended() {
        return ended.copy();
    }

    /**
     * Processes that SIGKILL did not end within a second: they belong to another user, or hang in the kernel. While
     * there are any, {@link #ended} stays open.
     */
    public List<Long> stuck() {
        return stuck;
    }

    /** Completes when the guardian has said whether the command runs. */
    CompletableFuture<ChildProcess> settled() {
        return settled;
    }

    void onReport(String report) {
        String[] words = report.split(" ", 3);
        switch (words[0]) {
            case "started" -> onStarted(Long.parseLong(words[1]));
            case "late" ->
                exit = new Exit(
                        ExitCode.LOST, EndReason.DEADLINE, "the term ended before " + name + " could be started");
            case "failed" -> exit = cannotRun(Integer.parseInt(words[1]), words[2]);
            case "ending" -> ending = EndReason.reported(words[1]);
            case "killing" -> killing = true;
            case "exited" -> exit = Exit.exited(Integer.parseInt(words[1]), ending);
            case "signaled" -> exit = Exit.signaled(Integer.parseInt(words[1]), ending);
            case "stuck" ->
                stuck = Stream.of(report.split(" ")).skip(1).map(Long::valueOf).toList();
            case "gone" -> end();
            default -> throw new IllegalStateException("unknown report: " + report);
        }
    }

    /** The guardian hung up. Without {@code gone} before, the tree is ended from here as far as it can be found. */
    void onGuardianEnded() {
        if (ended.isDone()) {
            return;
        }
        OrphanReaper.kill(handle, pid, environment, pids -> stuck = pids);
        if (exit == null && pid != 0) {
            exit = Exit.signaled(SIGKILL, EndReason.GUARDIAN_DIED);
        }
        end();
    }

    private void onStarted(long startedPid) {
        pid = startedPid;
        handle = ProcessHandle.of(startedPid).orElse(null);
        settled.complete(this);
    }

    private void end() {
        stuck = List.of();
        String guardianDied = "cannot run " + name + ": its guardian died";
        Exit known = exit;
        ended.complete(known != null ? known : new Exit(ExitCode.CANNOT_RUN, EndReason.GUARDIAN_DIED, guardianDied));
        settled.complete(this);
    }

    private Exit cannotRun(int errno, String text) {
        int code = errno == ENOENT ? EXIT_NOT_FOUND : ExitCode.CANNOT_RUN;
        return new Exit(code, EndReason.ITSELF, "cannot run " + name + ": " + text);
    }
}
