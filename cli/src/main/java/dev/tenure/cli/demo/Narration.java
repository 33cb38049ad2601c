package dev.tenure.cli.demo;

import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Printable;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The lines of the demo, with the time since its start. */
final class Narration {
    private static final List<String> COLOURS = List.of("36", "33", "35"); // cyan, yellow, magenta

    private final Console console;
    private final long startNanos = System.nanoTime();

    Narration(Console console) {
        this.console = console;
    }

    /** What the director does or explains. */
    void tell(String sentence) {
        line("", bold(sentence));
    }

    /** What a candidate does. */
    void tell(Actor actor, String deed) {
        line(coloured(COLOURS.get(actor.number() % COLOURS.size()), padded(actor.name())), Printable.line(deed));
    }

    void ledger(String deed) {
        line(padded("ledger"), Printable.line(deed));
    }

    void refusal(String deed) {
        line(padded("ledger"), coloured("1;31", Printable.line(deed)));
    }

    void blank() {
        console.print("");
    }

    double seconds() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos) / 1000.0;
    }

    private void line(String who, String what) {
        String time = String.format(Locale.ROOT, "%5.1fs", seconds());
        console.print(time + "  " + (who.isEmpty() ? what : who + "  " + what));
    }

    private static String padded(String name) {
        return String.format(Locale.ROOT, "%-6s", name);
    }

    private String bold(String text) {
        return coloured("1", text);
    }

    private String coloured(String code, String text) {
        return console.hasColours() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
