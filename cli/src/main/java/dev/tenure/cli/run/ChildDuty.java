package dev.tenure.cli.run;

import dev.tenure.Duty;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Term;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.process.ChildProcess;
import dev.tenure.cli.process.Ending;
import dev.tenure.cli.process.Exit;
import dev.tenure.cli.text.Console;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The duty of {@code run}: one command per term. It returns when the guardian has reported that no process of the command
 * is left, and not before; the engine releases the claim only then, so the next leader's command cannot meet this one's.
 *
 * <p>The guardian acts on the deadline it was told last, whatever becomes of this process. Each renewal moves it, and is
 * passed on at once; a look now and then makes sure of that also when whoever announces renewals is stuck (standard error
 * may be a full pipe). A guardian that does not act on its deadline, because somebody has stopped it, is killed from here.
 */
record ChildDuty(
        RunSettings settings,
        Host host,
        Console console,
        GuardianSupply guardians,
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
            verdict.completeExceptionally(Failure.of(noGuardian));
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
        boolean byItself = exit.isPresent() && exit.get().ending() == Ending.ITSELF;
        if (byItself || (exit.isPresent() && endSignal.isPresent())) {
            if (exit.get() instanceof Exit.NotStarted notStarted) {
                verdict.completeExceptionally(new Failure(notStarted.code(), notStarted.message()));
            } else {
                verdict.complete(exit.get().code());
            }
        } else if (endSignal.isPresent()) {
            verdict.complete(ExitCode.ofSignal(endSignal.get()));
        } else if (settings.exitOnLoss()) {
            verdict.completeExceptionally(new Failure(
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
        private long toldNanos;
        private boolean stopped;
        private boolean toldStuck;

        Attendance(ChildProcess child, Leadership leadership) {
            this.child = child;
            this.leadership = leadership;
            this.ended = child.ended();
            this.toldNanos = host.nanos();
            leadership.onLoss(loss -> child.stop(settings.killAfter()));
            leadership.onRenewal(this::tellDeadline);
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

        private synchronized void tellDeadline() {
            long killAtNanos = killAt(leadership);
            if (leadership.isActive() && killAtNanos - toldNanos > MOVED_NANOS_MIN) {
                toldNanos = killAtNanos;
                child.deadline(killAtNanos);
            }
        }

        private void look() {
            boolean leading = leadership.isActive();
            tellDeadline();
            if (!stopped && !leading) {
                stopped = true; // also when the engine is stuck and tells nobody
                child.stop(settings.killAfter());
            } else if (!stopped) {
                stopped = signals.stopIfOverdue(settings.killAfter());
            }
            if (!toldStuck && !child.stuck().isEmpty()) {
                toldStuck = true;
                console.say("cannot kill " + child.stuck() + "; the claim on " + settings.election()
                        + " is kept until they are gone");
            }
        }
    }
}
