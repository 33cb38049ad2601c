// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.run;

import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Tenure;
import dev.tenure.TenureBuilder;
import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ErrorThrottle;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.internal.engine.Timing;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** {@code tenure run}: stands in an election and runs a command while it leads. */
public final class RunCommand implements Command {
    private static final Duration OPEN_AGAIN_AFTER = Duration.ofMillis(500);

    @Override
    public Usage usage() {
        return new Usage(
                "run",
                "run a command while this process leads an election",
                """
                The command is started without a shell when this process is elected, and is dead, with all that it started,
                before another leader's command starts. It finds TENURE_ELECTION, TENURE_TOKEN, TENURE_NONCE and TENURE_HOLDER in its
                environment. When it ends by itself, tenure lets go and exits with its code; when leadership is lost, it is
                stopped and tenure stands again. TERM, INT and HUP are passed on, and end tenure; a second TERM or INT kills.
                QUIT (Ctrl-\\) is not passed on: it makes the JVM of tenure print a thread dump, and ends nothing.
                """,
                RunSettings.FORM,
                "tenure run --election hello -- sh -c 'echo leader $TENURE_TOKEN; sleep 5'",
                "tenure run --election nightly --exit-on-loss -- ./nightly-report",
                "TENURE_URL=local:/var/lib/myapp tenure run --election mail --ttl 5s -- ./send-mail");
    }

    @Override
    public int run(Options options, Console console) throws Exception {
        RunSettings settings = RunSettings.of(options);
        Host host = StoreOptions.host();
        CompletableFuture<Integer> verdict = new CompletableFuture<>(); // how it ends: the first to say so decides
        SignalRelay signals = new SignalRelay(verdict, host);
        // First of all, because perl starts while this JVM goes on loading classes.
        try (ChildDuty.GuardianPool guardians =
                new ChildDuty.GuardianPool(options.command(), settings.killAfter(), host)) {
            signals.install();
            try (Tenure tenure = open(settings, host, verdict, console)) {
                StoreTimeout contact = new StoreTimeout(host, settings.storeWithin(), signals, verdict);
                tenure.onEvent(contact);
                contact.begin();
                if (!settings.has(RunSettings.QUIET)) {
                    EventPrinter narrator = new EventPrinter(tenure, settings.election(), verdict, host, console);
                    tenure.onEvent(narrator);
                    narrator.begin();
                }
                stand(tenure, settings, new ChildDuty(settings, host, console, guardians, signals, verdict));
                return verdict.join();
            }
        }
    }

    /** A store that does not answer may do so later; one that cannot work never will. */
    private static Tenure open(RunSettings settings, Host host, CompletableFuture<Integer> verdict, Console console)
            throws InterruptedException {
        TenureBuilder builder =
                StoreOptions.connect(settings.options()).ttl(settings.ttl()).host(host);
        settings.options().value(RunSettings.ID).ifPresent(builder::node);
        if (settings.has(RunSettings.BEST_EFFORT)) {
            builder.acknowledgeBestEffort();
        }
        ErrorThrottle troubles = new ErrorThrottle(console, host);
        long byNanos = host.nanos() + settings.storeWithin().toNanos();
        while (true) {
            try {
                return builder.open();
            } catch (BackendException refused) {
                boolean hopeless = refused.kind() != BackendException.Kind.UNREACHABLE;
                if (hopeless || host.nanos() - byNanos >= 0) {
                    throw refused;
                }
                if (verdict.isDone()) {
                    throw new CliException(verdict.join(), "ended while waiting for the store", refused);
                }
                if (!settings.has(RunSettings.QUIET)) {
                    troubles.print("opening it", String.valueOf(refused.getMessage()));
                }
                host.signal().await(OPEN_AGAIN_AFTER.toNanos());
            }
        }
    }

    /** Calls back then, and not on the engine's thread. */
    static void later(Host host, Duration after, Runnable task) {
        host.post(() -> host.wakeAt(host.nanos() + after.toNanos(), () -> host.runCallback(task)));
    }

    private static void stand(Tenure tenure, RunSettings settings, ChildDuty duty) {
        try {
            var unused = tenure.elect(settings.election().value())
                    .drainWithin(settings.grace())
                    .perform(duty);
        } catch (IllegalArgumentException | IllegalStateException refused) {
            String why = objection(tenure.traits(), settings).orElseGet(() -> String.valueOf(refused.getMessage()));
            throw new CliException(ExitCode.USAGE, why, refused);
        }
    }

    /** In the words of the command line: a command that is run can have no fence. */
    private static Optional<String> objection(BackendTraits store, RunSettings settings) {
        if (store.fenceRequirement() == BackendTraits.FenceRequirement.FENCE) {
            return Optional.of(store.store() + " starts only with a fence (" + store.gradeReason()
                    + "): a command that is run has none, and --best-effort does not replace it");
        }
        return store.grade() == Grade.D && !settings.has(RunSettings.BEST_EFFORT)
                ? Optional.of(store.store() + " is grade D (" + store.gradeReason()
                        + "): a command that is run has no fence; if that does no harm, say --best-effort")
                : Optional.empty();
    }

    /** What {@code tenure run} was asked for. A flag goes before the environment, that before the URL, that before the default. */
    record RunSettings(Options options, ElectionName election, Duration ttl, Duration grace, Duration storeWithin) {
        static final Option ELECTION = Option.value("--election", "NAME", "the election to stand in");
        static final Option ID = Option.value(
                        "--id",
                        "ID",
                        "what operators see as the holder; default me= of peers://, else host, process id and a random part")
                .or("TENURE_ID");
        static final Option TTL = Option.value(
                        "--ttl",
                        "TIME",
                        "how long this process may be silent before another takes over, default 10s; peers: 1.5s")
                .or("TENURE_TTL");
        static final Option GRACE = Option.value(
                        "--grace",
                        "TIME",
                        "how long the command may take to stop before it is killed, default 2s or a fifth of the TTL")
                .or("TENURE_GRACE");
        static final Option WAIT = Option.value(
                        "--wait",
                        "TIME",
                        "how long to try to reach the store, default 1m; waiting to be elected is not limited")
                .or("TENURE_WAIT");
        static final Option EXIT_ON_LOSS =
                Option.flag("--exit-on-loss", "exit 75 when leadership is lost, rather than stand again");
        static final Option BEST_EFFORT = Option.flag(
                "--best-effort",
                "stand also on a store of grade D, where two may lead at once and no fence refuses the older");
        static final Option QUIET = Option.flag("--quiet", "say nothing but errors");
        static final Form FORM = Form.of("")
                .needing(ELECTION)
                .taking(StoreOptions.URL, ID, TTL, GRACE, WAIT, EXIT_ON_LOSS, BEST_EFFORT, QUIET)
                .running("COMMAND ARGS…");

        private static final Duration GRACE_DEFAULT_MAX = Duration.ofSeconds(2);
        private static final Duration WAIT_DEFAULT = Duration.ofMinutes(1);

        static RunSettings of(Options options) {
            Duration ttl = options.duration(TTL)
                    .orElseGet(() -> StoreOptions.connect(options).ttl());
            Duration grace = options.duration(GRACE).orElseGet(() -> graceFor(ttl));
            try {
                Timing.of(ttl).requireRoomFor(grace);
            } catch (IllegalArgumentException tooLong) {
                throw options.wrong("--grace or --ttl does not fit: " + tooLong.getMessage());
            }
            return new RunSettings(
                    options,
                    StoreOptions.election(options.needed(ELECTION)),
                    ttl,
                    grace,
                    options.duration(WAIT).orElse(WAIT_DEFAULT));
        }

        boolean has(Option flag) {
            return options.has(flag);
        }

        /** A tenth of the grace is kept for killing and for hearing that it was done. */
        Duration killAfter() {
            return grace.multipliedBy(9).dividedBy(10);
        }

        private static Duration graceFor(Duration ttl) {
            Duration fifth = ttl.dividedBy(5);
            return fifth.compareTo(GRACE_DEFAULT_MAX) < 0 ? fifth : GRACE_DEFAULT_MAX;
        }
    }
}
