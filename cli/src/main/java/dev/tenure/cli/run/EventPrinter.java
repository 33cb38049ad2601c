// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.run;

import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Leader;
import dev.tenure.LeaderWatch;
import dev.tenure.LeaderWatch.LeaderState;
import dev.tenure.Loss;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.TenureListener;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ErrorThrottle;
import dev.tenure.cli.elections.LeaderText;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Tells people what a supervisor is doing, one line for each thing that happens. */
final class EventPrinter implements TenureListener {
    /** A user whose candidate is elected at once does not want to read that it waited. */
    private static final Duration PATIENCE = Duration.ofMillis(300);
    /** A store that takes longer for its first answer is named without its grade. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(2);

    private final Tenure tenure;
    private final ElectionName election;
    private final CompletableFuture<Integer> verdict;
    private final Host host;
    private final Console console;
    private final ErrorThrottle troubles;
    private Optional<Grade> printedGrade = Optional.empty();
    private boolean introduced;
    private boolean atRisk;
    private String printedSurvival = "";
    private boolean leading;
    private Optional<LeaderWatch> watch = Optional.empty();
    private String printed = "";

    EventPrinter(Tenure tenure, ElectionName election, CompletableFuture<Integer> verdict, Host host, Console console) {
        this.tenure = tenure;
        this.election = election;
        this.verdict = verdict;
        this.host = host;
        this.console = console;
        this.troubles = new ErrorThrottle(console, host);
    }

    synchronized void begin() {
        RunCommand.later(host, ANSWER_WITHIN, this::introduceUnanswered);
        RunCommand.later(host, PATIENCE, this::printLeader);
    }

    @Override
    public synchronized void on(TenureEvent event) {
        if (event instanceof TenureEvent.Elected elected) {
            leading = true;
            atRisk = false;
            watch.ifPresent(LeaderWatch::close);
            watch = Optional.empty();
            console.say("leading " + election + " with token " + elected.term().token());
        } else if (event instanceof TenureEvent.DrainBegan drain) {
            if (!isQuietEnd(drain.loss())) {
                console.say("stepping down from token " + drain.term().token() + ": " + words(drain.loss()));
            }
        } else if (event instanceof TenureEvent.Lost lost) {
            leading = false;
            if (!isQuietEnd(lost.loss())) {
                console.say("token " + lost.term().token() + " of " + election + " is over"
                        + (lost.loss() instanceof Loss.DutyFailed ? ": " + words(lost.loss()) : "")
                        + (verdict.isDone() ? "" : "; standing by"));
                RunCommand.later(host, PATIENCE, this::printLeader);
            }
        } else {
            printError(event);
        }
    }

    private void printError(TenureEvent event) {
        if (event instanceof TenureEvent.StoreError trouble) {
            introduceUnanswered();
            troubles.print(trouble);
        } else if (event instanceof TenureEvent.SessionOpened || event instanceof TenureEvent.StoreRecovered) {
            if (!troubles.over() && atRisk) {
                console.say("renewals are acknowledged again");
            }
            atRisk = false;
            printGrade();
            printSurvival();
        } else if (event instanceof TenureEvent.AtRisk risk && !atRisk) {
            // Every renewal that fails is an event. People want to know of it again only after one has succeeded.
            atRisk = true;
            console.say("a renewal was not acknowledged: without another the command is stopped in "
                    + risk.untilDrain().toMillis() + " ms");
        } else if (event instanceof TenureEvent.ClaimAbandoned abandoned) {
            console.say("token " + abandoned.term().token() + " was granted but not led: " + abandoned.why());
        }
    }

    /** Some stores show only when they are asked what they can promise, so the grade is told with the first answer. */
    private void printGrade() {
        BackendTraits store = tenure.traits();
        if (printedGrade.equals(Optional.of(store.grade()))) {
            return;
        }
        printedGrade = Optional.of(store.grade());
        String promise = "grade " + store.grade()
                + (store.grade() == Grade.A ? "" : ": " + store.gradeReason())
                + ", scope " + store.scope().name().toLowerCase(Locale.ROOT);
        if (introduced) {
            console.say("the store is " + promise);
        } else {
            introduce(" (" + promise + ")");
        }
    }

    /** Once: what the store survives is known only when it was asked. */
    private void printSurvival() {
        String survival = tenure.traits().survival();
        if (!survival.isEmpty() && !survival.equals(printedSurvival)) {
            printedSurvival = survival;
            console.say(survival);
        }
    }

    private synchronized void introduceUnanswered() {
        if (!introduced && !verdict.isDone()) {
            introduce("");
        }
    }

    private void introduce(String promise) {
        introduced = true;
        console.say("standing in " + election + " as " + tenure.node() + " on "
                + tenure.traits().store() + promise);
    }

    private synchronized void printLeader() {
        if (leading || watch.isPresent()) {
            return;
        }
        LeaderWatch opened = tenure.observe(election.value());
        watch = Optional.of(opened);
        opened.onChange(change -> {
            if (change.now() instanceof LeaderState.Led led) {
                if (led.leader().node().equals(tenure.node())) {
                    RunCommand.later(host, PATIENCE, () -> printNamesake(led.leader()));
                } else {
                    printOnce("waiting; " + LeaderText.sentence(led.leader()));
                }
            }
        });
    }

    /** The store may show our own election a moment before we are told of it: then it is no namesake. */
    private synchronized void printNamesake(Leader leader) {
        boolean leads = watch.flatMap(LeaderWatch::leader)
                .filter(now -> now.token().equals(leader.token()))
                .isPresent();
        if (leads && !leading) {
            printOnce("waiting; another process of this name leads with token " + leader.token()
                    + " (give each its own --id)");
        }
    }

    /** A leader that was out of sight for a while and is still there is no news. */
    private synchronized void printOnce(String who) {
        if (!who.equals(printed)) {
            printed = who;
            console.say(who);
        }
    }

    private static boolean isQuietEnd(Loss loss) {
        return loss instanceof Loss.Completed || loss instanceof Loss.Closed;
    }

    private static String words(Loss loss) {
        if (loss instanceof Loss.Resigned resigned) {
            return resigned.why();
        }
        if (loss instanceof Loss.Expired) {
            return "no renewal was acknowledged in time";
        }
        if (loss instanceof Loss.SessionLost lost) {
            return "the session is lost, " + lost.why();
        }
        if (loss instanceof Loss.Superseded superseded) {
            return "another holds it, " + superseded.by();
        }
        if (loss instanceof Loss.DutyFailed failed) {
            return String.valueOf(failed.cause().getMessage());
        }
        return loss.toString();
    }
}
