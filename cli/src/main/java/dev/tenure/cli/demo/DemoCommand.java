package dev.tenure.cli.demo;

import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.TerminalText;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.cli.demo.DemoEnvironment.CandidateProcess;
import dev.tenure.spi.DurationText;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** {@code tenure demo}: three candidates, a crash and a zombie. */
public final class DemoCommand implements Command {
    @Override
    public Usage usage() {
        return new Usage(
                "demo",
                "watch three candidates, a crash and a zombie, in about ten seconds",
                """
                Three real processes stand in one election on a private store in a temporary directory. The leader is killed
                with SIGKILL; the next one is stopped with SIGSTOP in the middle of a write and wakes up when another leads.
                Nothing is left behind, also after Ctrl-C.
                """,
                Form.of(""),
                "tenure demo");
    }

    @Override
    public int run(Options options, Console console) throws IOException, InterruptedException {
        try (DemoEnvironment stage = new DemoEnvironment()) {
            new Play(stage, console).play();
        }
        return ExitCode.OK;
    }

    /** The play: what the director does, and what it waits for before it does the next thing. */
    private static final class Play {
        private static final List<String> COLOURS = List.of("36", "33", "35"); // cyan, yellow, magenta
        private static final List<String> NAMES = List.of("anna", "ben", "cleo");
        private static final long SCENE_SECONDS_MAX = 60;

        private final DemoEnvironment stage;
        private final Console console;
        private final long startNanos = System.nanoTime();
        private final BlockingQueue<Happening> happenings = new LinkedBlockingQueue<>();
        private final List<CandidateProcess> actors = new CopyOnWriteArrayList<>();
        /** The candidate to be stopped when it next looks into the ledger, that is, in the middle of a write. */
        private volatile @Nullable CandidateProcess toBeStopped;

        /** The ledger's newest token. */
        private long seen;

        private int standing;
        private int accepted;
        private int refused;

        Play(DemoEnvironment stage, Console console) {
            this.stage = stage;
            this.console = console;
        }

        /** One thing that was reported: by a candidate ({@code what} and {@code token}), or by the ledger. */
        private record Happening(CandidateProcess actor, String what, long token, String rest) {
            boolean is(CandidateProcess who, String deed) {
                return actor.equals(who) && what.equals(deed);
            }
        }

        void play() throws IOException, InterruptedException {
            CandidateProcess first = enter();
            CandidateProcess second = crash(first);
            CandidateProcess third = pause(second);
            wake(second, third);
            console.print("");
            tell(accepted + " entries accepted, " + refused + " refused, not one from a leader whose time had passed.");
        }

        private CandidateProcess enter() throws IOException, InterruptedException {
            tell("Three candidates, each a process of its own, stand in one election (TTL "
                    + DurationText.format(DemoCandidate.TTL) + ").");
            for (String name : NAMES) {
                actors.add(stage.enter(actors.size(), name));
            }
            actors.forEach(actor -> actor.listen(this::onReport));
            CandidateProcess leader = await(happening -> happening.what.equals("elected")).actor;
            await(happening -> happening.is(leader, "wrote"), 3);
            // All three are to be there when the leader dies; a slow machine may still be starting them.
            await(happening -> standing == NAMES.size());
            return leader;
        }

        private CandidateProcess crash(CandidateProcess leader) throws InterruptedException {
            console.print("");
            tell("A crash: kill -9 " + leader.name() + ". It cannot say goodbye.");
            double killed = seconds();
            leader.process().destroyForcibly();
            CandidateProcess next = await(happening -> happening.what.equals("elected")).actor;
            String later = String.format(Locale.ROOT, "%.1f s later", seconds() - killed);
            tell(next.name() + " took over " + later + ", when " + leader.name() + " had been silent for its TTL.");
            await(happening -> happening.is(next, "wrote"), 3);
            return next;
        }

        private CandidateProcess pause(CandidateProcess leader) throws InterruptedException {
            console.print("");
            tell("A pause: kill -STOP " + leader.name()
                    + " in the middle of a write, after it has checked that it leads.");
            toBeStopped = leader;
            CandidateProcess next =
                    await(happening -> happening.what.equals("elected") && !happening.actor.equals(leader)).actor;
            await(happening -> happening.is(next, "wrote"), 3);
            return next;
        }

        private void wake(CandidateProcess zombie, CandidateProcess leader) throws InterruptedException {
            console.print("");
            tell("kill -CONT " + zombie.name() + ". It goes on where it was stopped: with its write.");
            zombie.signal("CONT");
            await(happening -> happening.is(zombie, "refused"));
            await(happening -> happening.is(zombie, "lost"));
            await(happening -> happening.is(leader, "wrote"), 2);
        }

        private void await(Predicate<Happening> wanted, int times) throws InterruptedException {
            for (int i = 0; i < times; i++) {
                await(wanted);
            }
        }

        private Happening await(Predicate<Happening> wanted) throws InterruptedException {
            long byNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(SCENE_SECONDS_MAX);
            while (true) {
                Happening next = happenings.poll(byNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (next == null) {
                    throw new CliException(ExitCode.UNAVAILABLE, "the demo is stuck: is this machine very busy?");
                }
                narrate(next);
                if (wanted.test(next)) {
                    return next;
                }
            }
        }

        private void narrate(Happening happening) {
            switch (happening.what) {
                case "standing" -> standing++;
                case "elected" -> tell(happening.actor, "leads with token " + happening.token);
                case "lost" -> tell(happening.actor, "knows that it has lost: " + happening.rest + "; stands by again");
                case "wrote" -> {
                    accepted++;
                    ledger("accepts entry " + accepted + " from " + happening.actor.name());
                }
                case "refused" -> {
                    refused++;
                    refusal("REFUSES the entry of " + happening.actor.name() + ": token " + happening.token
                            + " is older than " + happening.rest);
                }
                default -> throw new IllegalStateException("unknown happening " + happening);
            }
        }

        /** A line from a candidate: what it has to report, or a question to the ledger. */
        private void onReport(CandidateProcess actor, String line) {
            String[] words = line.split(" ", 2);
            String rest = words.length > 1 ? words[1] : "";
            switch (words[0]) {
                case "raise", "read", "write" -> actor.answer(ledger(actor, words[0], Long.parseLong(rest)));
                case "elected" -> happenings.add(new Happening(actor, "elected", Long.parseLong(rest), rest));
                default -> happenings.add(new Happening(actor, words[0], 0, rest));
            }
        }

        /**
         * The resource that all candidates write to. It remembers the highest token that it has seen and refuses any lower one;
         * that is all a fence is. A candidate reads where its entry goes before it writes, and may be stopped in between.
         */
        private synchronized String ledger(CandidateProcess actor, String verb, long token) {
            if (verb.equals("read")) {
                if (actor.equals(toBeStopped)) {
                    toBeStopped = null;
                    actor.signal("STOP");
                }
                return "ok";
            }
            boolean current = token >= seen;
            seen = Math.max(seen, token);
            if (verb.equals("write")) {
                happenings.add(new Happening(actor, current ? "wrote" : "refused", token, Long.toString(seen)));
            }
            return current ? "ok" : "stale " + seen;
        }

        /** What the director does or explains. */
        private void tell(String sentence) {
            line(coloured("1", sentence));
        }

        /** What a candidate does. */
        private void tell(CandidateProcess actor, String deed) {
            line(coloured(COLOURS.get(actor.number() % COLOURS.size()), padded(actor.name())) + "  "
                    + TerminalText.line(deed));
        }

        private void ledger(String deed) {
            line(padded("ledger") + "  " + TerminalText.line(deed));
        }

        private void refusal(String deed) {
            line(padded("ledger") + "  " + coloured("1;31", TerminalText.line(deed)));
        }

        private double seconds() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos) / 1000.0;
        }

        private void line(String what) {
            console.out().print(String.format(Locale.ROOT, "%5.1fs", seconds()) + "  " + what + "\n");
        }

        private static String padded(String name) {
            return String.format(Locale.ROOT, "%-6s", name);
        }

        private String coloured(String code, String text) {
            return console.hasColours() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
        }
    }
}
