// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.demo;

import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.TerminalText;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.spi.DurationText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
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
        try (Play play = new Play(console)) {
            play.play();
        }
        return ExitCode.OK;
    }

    /**
     * The play: what the director does, and what it waits for before it does the next thing. Its directory and its processes are
     * gone when it is closed, or when the JVM ends.
     */
    private static final class Play implements AutoCloseable {
        private static final List<String> COLOURS = List.of("36", "33", "35"); // cyan, yellow, magenta
        private static final List<String> NAMES = List.of("anna", "ben", "cleo");
        private static final String LEDGER = "ledger  ";
        private static final long SCENE_SECONDS_MAX = 60;

        private final Path directory = Files.createTempDirectory("tenure-demo-");
        private final Console console;
        private final long startNanos = System.nanoTime();
        private final BlockingQueue<Happening> happenings = new LinkedBlockingQueue<>();
        private final List<DemoProcess> actors = new CopyOnWriteArrayList<>();
        /** The candidate to be stopped when it next looks into the ledger, that is, in the middle of a write. */
        private volatile @Nullable DemoProcess toBeStopped;

        /** The ledger's newest token. */
        private long seen;

        private int standing;
        private int accepted;
        private int refused;

        Play(Console console) throws IOException {
            this.console = console;
            Runtime.getRuntime().addShutdownHook(new Thread(this::close, "demo-cleanup"));
        }

        /** One thing that was reported: by a candidate ({@code what} and {@code token}), or by the ledger. */
        private record Happening(DemoProcess actor, String what, long token, String rest) {
            boolean is(DemoProcess who, String deed) {
                return actor.equals(who) && what.equals(deed);
            }
        }

        void play() throws IOException, InterruptedException {
            DemoProcess first = enter();
            DemoProcess second = crash(first);
            DemoProcess third = pause(second);
            wake(second, third);
            console.print("");
            tell(accepted + " entries accepted, " + refused + " refused, not one from a leader whose time had passed.");
        }

        private DemoProcess enter() throws IOException, InterruptedException {
            tell("Three candidates, each a process of its own, stand in one election (TTL "
                    + DurationText.format(DemoCandidate.TTL) + ").");
            for (String name : NAMES) {
                actors.add(DemoProcess.start(actors.size(), name, directory.resolve("store")));
            }
            actors.forEach(actor -> actor.listen(this::onReport));
            DemoProcess leader = await(happening -> happening.what.equals("elected")).actor;
            await(happening -> happening.is(leader, "wrote"), 3);
            // All three are to be there when the leader dies; a slow machine may still be starting them.
            await(happening -> standing == NAMES.size());
            return leader;
        }

        private DemoProcess crash(DemoProcess leader) throws InterruptedException {
            console.print("");
            tell("A crash: kill -9 " + leader.name() + ". It cannot say goodbye.");
            double killed = seconds();
            leader.process().destroyForcibly();
            DemoProcess next = await(happening -> happening.what.equals("elected")).actor;
            String later = String.format(Locale.ROOT, "%.1f s later", seconds() - killed);
            tell(next.name() + " took over " + later + ", when " + leader.name() + " had been silent for its TTL.");
            await(happening -> happening.is(next, "wrote"), 3);
            return next;
        }

        private DemoProcess pause(DemoProcess leader) throws InterruptedException {
            console.print("");
            tell("A pause: kill -STOP " + leader.name()
                    + " in the middle of a write, after it has checked that it leads.");
            toBeStopped = leader;
            DemoProcess next =
                    await(happening -> happening.what.equals("elected") && !happening.actor.equals(leader)).actor;
            await(happening -> happening.is(next, "wrote"), 3);
            return next;
        }

        private void wake(DemoProcess zombie, DemoProcess leader) throws InterruptedException {
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
                case "elected" -> deed(happening.actor, "leads with token " + happening.token);
                case "lost" -> deed(happening.actor, "knows that it has lost: " + happening.rest + "; stands by again");
                case "wrote" -> {
                    accepted++;
                    line(LEDGER + "accepts entry " + accepted + " from " + happening.actor.name());
                }
                case "refused" -> {
                    refused++;
                    String refusal = "REFUSES the entry of " + happening.actor.name() + ": token " + happening.token
                            + " is older than " + happening.rest;
                    line(LEDGER + coloured("1;31", refusal));
                }
                default -> throw new IllegalStateException("unknown happening " + happening);
            }
        }

        /** A line from a candidate: what it has to report, or a question to the ledger. */
        private void onReport(DemoProcess actor, String line) {
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
        private synchronized String ledger(DemoProcess actor, String verb, long token) {
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

        private void deed(DemoProcess actor, String deed) {
            String name = String.format(Locale.ROOT, "%-6s", actor.name());
            line(coloured(COLOURS.get(actor.number() % COLOURS.size()), name) + "  " + TerminalText.line(deed));
        }

        private double seconds() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos) / 1000.0;
        }

        private void line(String what) {
            console.out().print(String.format(Locale.ROOT, "%5.1fs", seconds()) + "  " + what + "\n");
        }

        private String coloured(String code, String text) {
            return console.hasColours() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
        }

        @Override
        public synchronized void close() {
            actors.forEach(actor -> actor.process().destroyForcibly());
            try {
                for (DemoProcess actor : actors) {
                    actor.process().waitFor(5, TimeUnit.SECONDS);
                }
            } catch (InterruptedException hurry) {
                Thread.currentThread().interrupt();
            }
            if (!Files.exists(directory)) {
                return;
            }
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            } catch (IOException left) {
                throw new UncheckedIOException("could not remove " + directory, left);
            }
        }
    }
}
