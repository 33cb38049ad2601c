// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.run;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.process.ChildProcess;
import dev.tenure.cli.process.Signals;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Where signals go. While the command runs, to the command; otherwise TERM, INT and HUP end the supervisor. Whichever it
 * is, after one of those three nothing is started any more.
 *
 * <pre>
 *             TERM, INT, HUP                                     others
 * waiting     ends at once                                       ignored
 * starting    remembered, passed on when the command runs        ignored
 * running     passed on; a second TERM or INT kills at once      passed on
 * </pre>
 *
 * <p>QUIT never comes here: the JVM keeps it for its thread dumps and lets nobody else have it.
 */
final class SignalRelay {
    private static final List<String> ENDING = List.of("TERM", "INT", "HUP");
    private static final List<String> OTHERS = List.of("USR1", "USR2", "WINCH");
    private static final int SIGHUP = 1;
    private static final int SIGTERM = 15;

    private final CompletableFuture<Integer> verdict;
    private final Host host;
    private final Host.Signal installed;
    private @Nullable ChildProcess child;
    private boolean starting;
    private int endSignal;
    private boolean impatient;
    private long endSignalNanos;

    SignalRelay(CompletableFuture<Integer> verdict, Host host) {
        this.verdict = verdict;
        this.host = host;
        this.installed = host.signal();
    }

    /**
     * Handles signals from soon on. It takes the JVM a while to make a handler, so that is done beside everything else;
     * {@link #begin} waits for it. Until then a signal ends the JVM, which is what it should do as long as nothing runs.
     */
    void install() {
        host.runCallback(() -> {
            try {
                ENDING.forEach(name -> Signals.handle(name, this::onEnd));
                OTHERS.forEach(name -> Signals.handle(name, this::onOther));
            } finally {
                installed.set();
            }
        });
    }

    private synchronized void onEnd(int number) {
        if (endSignal == 0) {
            endSignal = number;
            endSignalNanos = host.nanos();
        } else {
            impatient |= number != SIGHUP; // a closing terminal and a service manager send HUP beside another one
        }
        if (child != null) {
            pass(child, number);
        } else if (!starting) {
            verdict.complete(ExitCode.ofSignal(number));
        }
    }

    private void pass(ChildProcess running, int number) {
        if (impatient) {
            running.stop(Duration.ZERO);
        } else {
            running.signal(number);
        }
    }

    private synchronized void onOther(int number) {
        if (child != null) {
            child.signal(number);
        }
    }

    /** A term begins. Returns false if nothing may be started any more. */
    boolean begin() throws InterruptedException {
        installed.await(Long.MAX_VALUE);
        synchronized (this) {
            starting = !verdict.isDone();
            return starting;
        }
    }

    synchronized void started(ChildProcess running) {
        starting = false;
        child = running;
        if (endSignal != 0) {
            pass(running, endSignal);
        }
    }

    /** Nothing of the command is left. */
    synchronized void over() {
        starting = false;
        child = null;
    }

    /** Which signal said that all shall end. */
    synchronized Optional<Integer> endSignal() {
        return endSignal == 0 ? Optional.empty() : Optional.of(endSignal);
    }

    /** Stops a command that was told to end by a signal and has not, after this time. */
    synchronized boolean stopIfOverdue(Duration grace) {
        ChildProcess running = child;
        if (running == null || endSignal == 0 || host.nanos() - endSignalNanos < grace.toNanos()) {
            return false;
        }
        // It has had its SIGTERM, or gets one now with the same time again.
        running.stop(endSignal == SIGTERM ? Duration.ZERO : grace);
        return true;
    }

    /** Does this unless a command runs or is about to. */
    synchronized void ifIdle(Runnable action) {
        if (child == null && !starting) {
            action.run();
        }
    }
}
