// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.run;

import dev.tenure.Duty;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Term;
import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.process.ChildProcess;
import dev.tenure.cli.process.Exit;
import dev.tenure.cli.process.Guardian;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The duty of {@code run}: one command per term. It returns when the guardian has reported that no process of the command
 * is left, and not before; the engine releases the claim only then, so the next leader's command cannot meet this one's.
 *
 * <p>The guardian acts on the deadline it received last, whatever becomes of this process. Each renewal moves it, and is
 * passed on at once; a check now and then makes sure of that also when the thread that announces renewals is stuck
 * (standard error may be a full pipe). A guardian that does not act on its deadline, because somebody has stopped it, is killed from here.
 */
record ChildDuty(
        RunCommand.RunSettings settings,
        Host host,
        Console console,
        GuardianPool guardians,
        SignalRelay signals,
        CompletableFuture<Integer> verdict)
        implements Duty {
    private static final long LOOK_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(250);
    private static final int LOOKS_PER_TTL = 20;
    private static final long MOVED_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(1);
    /** The guardian acts early by what its clock is rounded, some 20 ms; the engine then tells the loss a moment later. */
    private static final long EARLY_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(100);

    @Override
    public void perform(Leadership leadership) throws Exception {
        if (!signals.begin()) {
            return;
        }
        CompletableFuture<Loss> lost = new CompletableFuture<>();
        leadership.onLoss(lost::complete);
        Optional<Exit> exit = Optional.empty();
        try {
            ChildProcess child = guardians.current().start(environment(leadership.term()), killAt(leadership));
            signals.started(child);
            exit = Optional.of(new Attendance(child, leadership).untilGone());
        } catch (IOException notStarted) {
            console.say("cannot start the command: " + notStarted.getMessage());
        } catch (CompletionException noGuardian) {
            verdict.completeExceptionally(CliException.of(noGuardian));
        } finally {
            signals.over();
        }
        if (!decided(exit)) {
            standAgain(leadership, lost);
        }
    }

    private static Map<String, String> environment(Term term) {
        return Map.of(
                "TENURE_ELECTION", term.election().value(),
                "TENURE_TOKEN", term.token().toString(),
                "TENURE_NONCE", term.nonce().toString(),
                "TENURE_HOLDER", term.holder());
    }

    /** When nothing of the command may run any more: a little before authority ends, since killing takes a moment. */
    private long killAt(Leadership leadership) {
        // The clock first: a pause between the two reads can then only bring the deadline forward.
        long nowNanos = host.nanos();
        Duration reserve = settings.grace().minus(settings.killAfter());
        return nowNanos + leadership.remaining().minus(reserve).toNanos();
    }

    /** Does {@code run} end with this? */
    private boolean decided(Optional<Exit> exit) {
        Optional<Integer> endSignal = signals.endSignal();
        boolean byItself = exit.isPresent() && exit.get().ending() == Exit.EndReason.ITSELF;
        if (byItself || (exit.isPresent() && endSignal.isPresent())) {
            if (!exit.get().notStarted().isEmpty()) {
                verdict.completeExceptionally(
                        new CliException(exit.get().code(), exit.get().notStarted()));
            } else {
                verdict.complete(exit.get().code());
            }
        } else if (endSignal.isPresent()) {
            verdict.complete(ExitCode.ofSignal(endSignal.get()));
        } else if (settings.has(RunCommand.RunSettings.EXIT_ON_LOSS)) {
            verdict.completeExceptionally(new CliException(
                    ExitCode.LOST, "leadership of " + settings.election() + " was lost, and --exit-on-loss was given"));
        }
        return verdict.isDone();
    }

    /**
     * The command was stopped because the term ends. The engine may not have noticed yet, for instance because this whole
     * process was stopped; returning before it has would mean that the work is done.
     */
    private void standAgain(Leadership leadership, CompletableFuture<Loss> lost) throws Exception {
        guardians.next();
        long toldWithinNanos =
                leadership.isActive() ? EARLY_NANOS_MAX : settings.ttl().toNanos();
        try {
            lost.get(toldWithinNanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException stillLeads) {
            throw new IllegalStateException("the command does not run, although its term has not ended", stillLeads);
        }
    }

    /** Watches over one running command. */
    private final class Attendance {
        private final ChildProcess child;
        private final Leadership leadership;
        private final CompletableFuture<Exit> ended;
        private final long lookNanos = Math.min(LOOK_NANOS_MAX, settings.ttl().toNanos() / LOOKS_PER_TTL);
        private long reportedNanos;
        private boolean stopped;
        private boolean reportedStuck;

        Attendance(ChildProcess child, Leadership leadership) {
            this.child = child;
            this.leadership = leadership;
            this.ended = child.ended();
            this.reportedNanos = host.nanos();
            leadership.onLoss(loss -> child.stop(settings.killAfter()));
            leadership.onRenewal(this::reportDeadline);
        }

        Exit untilGone() {
            boolean interrupted = false;
            try {
                while (true) {
                    try {
                        return ended.get(Math.min(lookNanos, child.killIfOverdue()), TimeUnit.NANOSECONDS);
                    } catch (TimeoutException stillRuns) {
                        look();
                    } catch (InterruptedException hurry) {
                        interrupted = true; // the command has been told; nothing ends before it is gone
                    } catch (ExecutionException impossible) {
                        throw new IllegalStateException(impossible);
                    }
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private synchronized void reportDeadline() {
            long killAtNanos = killAt(leadership);
            if (leadership.isActive() && killAtNanos - reportedNanos > MOVED_NANOS_MIN) {
                reportedNanos = killAtNanos;
                child.deadline(killAtNanos);
            }
        }

        private void look() {
            boolean leading = leadership.isActive();
            reportDeadline();
            if (!stopped && !leading) {
                stopped = true; // also when the engine is stuck and tells nobody
                child.stop(settings.killAfter());
            } else if (!stopped) {
                stopped = signals.stopIfOverdue(settings.killAfter());
            }
            if (!reportedStuck && !child.stuck().isEmpty()) {
                reportedStuck = true;
                console.say("cannot kill " + child.stuck() + "; the claim on " + settings.election()
                        + " is kept until they are gone");
            }
        }
    }

    /** One guardian per term, the next one made ready before it is needed. */
    static final class GuardianPool implements AutoCloseable {
        private final List<String> command;
        private final Duration grace;
        private final Host host;
        private volatile CompletableFuture<Guardian> current;

        /** @throws CliException if there cannot be one on this machine */
        GuardianPool(List<String> command, Duration grace, Host host) {
            this.command = command;
            this.grace = grace;
            this.host = host;
            this.current = CompletableFuture.completedFuture(prepare());
        }

        private Guardian prepare() {
            try {
                return Guardian.prepare(command, grace);
            } catch (IOException refused) {
                throw new CliException(ExitCode.CANNOT_RUN, String.valueOf(refused.getMessage()), refused);
            }
        }

        /** @throws RuntimeException with a {@link CliException}, if there is none any more */
        Guardian current() {
            return current.join();
        }

        /** The current one has served its term. Does not wait: a candidate that stands by must not be kept from leading meanwhile. */
        void next() {
            Guardian served = current();
            Supplier<Guardian> next = () -> {
                served.close();
                return prepare();
            };
            current = CompletableFuture.supplyAsync(next, host::runCallback);
        }

        @Override
        public void close() {
            var unused = current.thenAccept(Guardian::close);
        }
    }
}
