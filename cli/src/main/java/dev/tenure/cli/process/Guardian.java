// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import dev.tenure.cli.process.GuardianConnection.ControlListener;
import dev.tenure.spi.support.Stages;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Runs one command for one term and makes sure that it is dead, with everything it started, by the end of that term.
 *
 * <p>The JVM alone cannot promise that: it may be stopped, killed or cut off; a parent-death signal follows the
 * thread that forked and reaches only the direct child; and Java can make neither sessions nor process groups. So a
 * second process ({@code guardian.pl}) is the child's parent, knows the deadline as an absolute instant, and ends the
 * tree on its own: SIGTERM one grace before the deadline, SIGKILL on it; likewise when this process dies, or on
 * order. The other way round, a guardian that is stopped is killed by this process, and the tree with it ({@link
 * ChildProcess#killIfOverdue}).
 *
 * <p>A guardian is prepared while its candidate still waits to be elected, because starting perl takes longer than
 * starting the command. It serves one term; the next term gets the next guardian.
 *
 * <p>Not promised: that a tree dies while the whole machine is frozen (it dies at thaw), when guardian and supervisor
 * are both killed (then only the command itself dies) or both stopped (it dies when one of them is continued), or when a process runs as another user ({@link
 * ChildProcess#stuck}).
 */
public final class Guardian implements AutoCloseable {

    private static final Duration READY_WITHIN = Duration.ofSeconds(10);
    private static final Duration SLACK = Duration.ofSeconds(2);
    private static final String NOT_READY = "perl ended before it was ready; it may have said why on stderr";
    private static final Path USUAL_PERL = Path.of("/usr/bin/perl");

    private final String name;
    private final Duration grace;
    private final Process process;
    private final ControlListener listener;
    private final Thread reader;
    private final CompletableFuture<GuardianConnection> ready = new CompletableFuture<>();

    private final Object lock = new Object();
    private @Nullable ChildProcess child; // guarded by lock; set once
    private boolean over; // guarded by lock: closed, or the guardian has ended

    private Guardian(List<String> command, Duration grace, Process process, ControlListener listener) {
        this.name = command.get(0);
        this.grace = grace;
        this.process = process;
        this.listener = listener;
        List<byte[]> words = RawCommandLine.bytesOf(command);
        this.reader = new Thread(() -> listen(words), "tenure-guardian-" + process.pid());
        reader.setDaemon(true);
    }

    /**
     * Starts a guardian for {@code command} and returns without waiting for it. The command gets this process's
     * standard input, output and error, its working directory, and its environment without {@code TENURE_*}.
     *
     * @param grace how long before the end of the term SIGTERM is sent
     * @throws IOException if perl cannot be started; the message says what to do
     */
    public static Guardian prepare(List<String> command, Duration grace) throws IOException {
        return prepare(command, grace, Files.isExecutable(USUAL_PERL) ? USUAL_PERL.toString() : "perl");
    }

    static Guardian prepare(List<String> command, Duration grace, String perl) throws IOException {
        if (command.isEmpty() || String.join("", command).indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a command needs a first word, and no word may contain NUL");
        }
        if (grace.isNegative()) {
            throw new IllegalArgumentException("grace " + grace + " must not be negative");
        }
        ControlListener listener = ControlListener.open();
        try {
            Process process = spawn(perl, listener.path());
            Guardian guardian = new Guardian(command, grace, process, listener);
            guardian.reader.start();
            var unused = process.onExit().thenRun(guardian::stopListening);
            return guardian;
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    private static Process spawn(String perl, Path socket) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(perl, "-e", program(), socket.toString()).inheritIO();
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(variable -> variable.startsWith("TENURE_"));
        // Variables that would change the guardian's perl are put aside for the child, which gets them back.
        for (String variable : List.copyOf(environment.keySet())) {
            String value = environment.get(variable);
            if (variable.startsWith("PERL") && value != null) {
                environment.remove(variable);
                environment.put("TENURE_KEEP_" + variable, value);
            }
        }
        environment.put("PERL_BADLANG", "0"); // no complaint about a locale that is not installed
        try {
            return builder.start();
        } catch (IOException e) {
            throw new IOException("tenure run needs perl (Debian/Ubuntu: apt install perl-base)", e);
        }
    }

    private static String program() throws IOException {
        try (InputStream source = Guardian.class.getResourceAsStream("/dev/tenure/cli/guardian.pl")) {
            if (source == null) {
                throw new IllegalStateException("guardian.pl is missing from this build of tenure");
            }
            return new String(source.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Runs the command now, once. Returns when it runs or is known not to: then {@link ChildProcess#ended} is
     * complete with {@link Exit#notStarted}.
     *
     * @param environment what the command gets besides the inherited variables
     * @param validUntilNanos the end of the term, in {@link System#nanoTime()}
     * @throws IOException if the guardian is not there or does not answer; the command is not left running then
     */
    public ChildProcess start(Map<String, String> environment, long validUntilNanos) throws IOException {
        GuardianConnection orders = await(ready, READY_WITHIN.toNanos());
        ChildProcess starting = new ChildProcess(name, orders, Map.copyOf(environment), validUntilNanos);
        synchronized (lock) {
            if (child != null) {
                throw new IllegalStateException("this guardian has already run " + name);
            }
            if (over) {
                throw new IOException("the guardian of " + name + " is closed");
            }
            child = starting;
        }
        long remainingNanos = Math.min(validUntilNanos - System.nanoTime(), Long.MAX_VALUE / 2);
        orders.start(environment, validUntilNanos);
        // By the end of the term even a command whose exec hangs has been killed, and that is an answer too. Less than
        // the grace before it the guardian starts nothing, and may take its time to say so.
        boolean mayRun = remainingNanos > grace.toNanos();
        return await(starting.settled(), mayRun ? remainingNanos + orders.silenceNanosMax() : SLACK.toNanos());
    }

    private <T> T await(CompletableFuture<T> answer, long withinNanos) throws IOException {
        try {
            return answer.get(withinNanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IOException(
                    "the guardian of " + name + " did not start: "
                            + Stages.rootOf(e).getMessage(),
                    e);
        } catch (TimeoutException e) {
            process.destroyForcibly();
            awaitEnd(); // the command may run, and nothing of it may be left
            throw new IOException("the guardian of " + name + " does not answer", e);
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while starting " + name);
        }
    }

    private void listen(List<byte[]> command) {
        try (GuardianConnection connection = listener.accept(process, grace)) {
            if (connection.prepare(command)) {
                ready.complete(connection);
            }
            for (String report = connection.readLine(); report != null; report = connection.readLine()) {
                onReport(report);
            }
        } catch (IOException e) {
            ready.completeExceptionally(new IOException(NOT_READY, e));
        } finally {
            onGuardianEnded();
        }
    }

    /** There is none before the command is started: the code that starts it has waited for the guardian to be ready. */
    private void onReport(String report) {
        ChildProcess running;
        synchronized (lock) {
            running = child;
        }
        if (running != null) {
            running.onReport(report);
        }
    }

    private void onGuardianEnded() {
        process.destroyForcibly(); // it has hung up; should it live on, its child must not
        ready.completeExceptionally(new IOException(NOT_READY));
        ChildProcess running;
        synchronized (lock) {
            over = true;
            running = child;
        }
        if (running != null) {
            running.onGuardianEnded();
        }
    }

    private void stopListening() {
        try {
            listener.close();
        } catch (IOException e) {
            ready.completeExceptionally(e);
        }
    }

    /**
     * Ends the tree, if one runs, and waits for that: at most the grace and a little more, then the guardian is
     * killed, and the command with it.
     */
    @Override
    public void close() {
        synchronized (lock) {
            over = true;
        }
        stopListening();
        if (ready.isDone() && !ready.isCompletedExceptionally()) {
            ready.join().end();
        } else {
            process.destroyForcibly(); // it runs nothing, and from now on nothing will be started
        }
        awaitEnd();
    }

    private void awaitEnd() {
        if (Thread.currentThread() == reader) {
            return; // called from ended(): there is nothing left to wait for
        }
        try {
            reader.join(grace.plus(SLACK).toMillis());
            if (reader.isAlive()) {
                process.destroyForcibly();
                reader.join(SLACK.toMillis());
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
