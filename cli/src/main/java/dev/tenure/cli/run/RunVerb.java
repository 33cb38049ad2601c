package dev.tenure.cli.run;

import dev.tenure.Grade;
import dev.tenure.Tenure;
import dev.tenure.TenureBuilder;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** {@code tenure run}: stands in an election and runs a command while it leads. */
public final class RunVerb implements Verb {
    private static final Duration OPEN_AGAIN_AFTER = Duration.ofMillis(500);

    @Override
    public Usage usage() {
        return new Usage(
                "run",
                List.of("run --election NAME [options] -- COMMAND ARGS…"),
                "run a command while this process leads an election",
                """
                The command is started without a shell when this process is elected, and is dead, with all that it started,
                before another leader's command starts. It finds TENURE_ELECTION, TENURE_TOKEN, TENURE_NONCE and TENURE_HOLDER in its
                environment. When it ends by itself, tenure lets go and exits with its code; when leadership is lost, it is
                stopped and tenure stands again. TERM, INT and HUP are passed on, and end tenure; a second TERM or INT kills.
                QUIT (Ctrl-\\) is not passed on: it makes the JVM of tenure print a thread dump, and ends nothing.
                """,
                RunSettings.OPTIONS,
                List.of(),
                List.of(
                        "tenure run --election hello -- sh -c 'echo leader $TENURE_TOKEN; sleep 5'",
                        "tenure run --election nightly --exit-on-loss -- ./nightly-report",
                        "TENURE_URL=local:/var/lib/myapp tenure run --election mail --ttl 5s -- ./send-mail"));
    }

    @Override
    public int run(Options options, Console console) throws Exception {
        RunSettings settings = RunSettings.of(options);
        Host host = StoreOptions.host();
        CompletableFuture<Integer> verdict = new CompletableFuture<>(); // how it ends: the first to say so decides
        SignalRelay signals = new SignalRelay(verdict, host);
        // First of all, because perl starts while this JVM goes on loading classes.
        try (GuardianSupply guardians = new GuardianSupply(settings.command(), settings.killAfter(), host)) {
            signals.install();
            try (Tenure tenure = open(options, settings, host, verdict)) {
                StoreContact contact = new StoreContact(host, settings.storeWithin(), signals, verdict);
                tenure.onEvent(contact);
                contact.begin();
                if (!settings.quiet()) {
                    Narrator narrator = new Narrator(tenure, settings.election(), verdict, host, console);
                    tenure.onEvent(narrator);
                    narrator.begin();
                }
                stand(tenure, settings, new ChildDuty(settings, host, console, guardians, signals, verdict));
                return verdict.join();
            }
        }
    }

    /** A store that does not answer may do so later; one that cannot work never will. */
    private static Tenure open(Options options, RunSettings settings, Host host, CompletableFuture<Integer> verdict)
            throws InterruptedException {
        TenureBuilder builder =
                StoreOptions.connect(options).ttl(settings.ttl()).host(host);
        settings.id().ifPresent(builder::node);
        if (settings.bestEffort()) {
            builder.acknowledgeBestEffort();
        }
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
                    throw new Failure(verdict.join(), "ended while waiting for the store", refused);
                }
                host.signal().await(OPEN_AGAIN_AFTER.toNanos());
            }
        }
    }

    private static void stand(Tenure tenure, RunSettings settings, ChildDuty duty) {
        try {
            var unused = tenure.elect(settings.election().value())
                    .drainWithin(settings.grace())
                    .perform(duty);
        } catch (IllegalArgumentException | IllegalStateException refused) {
            String why = objection(tenure.traits(), settings).orElseGet(() -> String.valueOf(refused.getMessage()));
            throw new Failure(ExitCode.USAGE, why, refused);
        }
    }
    /** In the words of the command line: a command that is run can have no fence. */
    private static Optional<String> objection(BackendTraits store, RunSettings settings) {
        if (store.guard() == BackendTraits.Guard.FENCE) {
            return Optional.of(store.store() + " starts only with a fence (" + store.gradeReason()
                    + "): a command that is run has none, and --best-effort does not replace it");
        }
        return store.grade() == Grade.D && !settings.bestEffort()
                ? Optional.of(store.store() + " is grade D (" + store.gradeReason()
                        + "): a command that is run has no fence; if that does no harm, say --best-effort")
                : Optional.empty();
    }
}
