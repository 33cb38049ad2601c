package dev.tenure.cli.demo;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.demo.Stage.Actor;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Printable;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** {@code tenure demo}: three candidates, a crash and a zombie. */
public final class DemoVerb implements Verb {
    @Override
    public Usage usage() {
        return new Usage(
                "demo",
                List.of("demo"),
                "watch three candidates, a crash and a zombie, in about ten seconds",
                """
                Three real processes stand in one election on a private store in a temporary directory. The leader is killed
                with SIGKILL; the next one is stopped with SIGSTOP in the middle of a write and wakes up when another leads.
                Nothing is left behind, also after Ctrl-C.
                """,
                List.of(),
                List.of(),
                List.of("tenure demo"));
    }

    @Override
    public int run(Options options, Console console) throws IOException, InterruptedException {
        options.refuseOperands(0);
        try (Stage stage = new Stage()) {
            new Demo(stage, new Narration(console)).play();
        }
        return ExitCode.OK;
    }

    /** The lines of the demo, with the time since its start. */
    static final class Narration {
        private static final List<String> COLOURS = List.of("36", "33", "35"); // cyan, yellow, magenta

        private final Console console;
        private final long startNanos = System.nanoTime();

        Narration(Console console) {
            this.console = console;
        }

        /** What the director does or explains. */
        void tell(String sentence) {
            line(coloured("1", sentence));
        }

        /** What a candidate does. */
        void tell(Actor actor, String deed) {
            line(coloured(COLOURS.get(actor.number() % COLOURS.size()), padded(actor.name())) + "  "
                    + Printable.line(deed));
        }

        void ledger(String deed) {
            line(padded("ledger") + "  " + Printable.line(deed));
        }

        void refusal(String deed) {
            line(padded("ledger") + "  " + coloured("1;31", Printable.line(deed)));
        }

        void blank() {
            console.print("");
        }

        double seconds() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos) / 1000.0;
        }

        private void line(String what) {
            console.print(String.format(Locale.ROOT, "%5.1fs", seconds()) + "  " + what);
        }

        private static String padded(String name) {
            return String.format(Locale.ROOT, "%-6s", name);
        }

        private String coloured(String code, String text) {
            return console.hasColours() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
        }
    }
}
