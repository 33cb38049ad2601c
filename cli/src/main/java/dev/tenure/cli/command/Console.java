// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import dev.tenure.spi.Redactor;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Where results ({@code out}) and remarks ({@code err}) go, and the environment. Always UTF-8: names are, and a JSON reader
 * does not know the locale.
 */
public final class Console {
    /** A system property: when true, logs go to {@code java.util.logging} and not to standard error. */
    public static final String FORWARD_LOGS = "dev.tenure.cli.forward-logs";

    private static final int OUT = 1;
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final PrintStream err;
    private final Map<String, String> environment;
    private final boolean terminal;
    private final Redactor redactor;

    public Console(PrintStream out, PrintStream err, Map<String, String> environment, boolean terminal) {
        this(out, err, environment, terminal, Redactor.withoutKnown());
    }

    private Console(
            PrintStream out, PrintStream err, Map<String, String> environment, boolean terminal, Redactor redactor) {
        this.out = out;
        this.err = err;
        this.environment = Map.copyOf(environment);
        this.terminal = terminal;
        this.redactor = redactor;
    }

    /** The same one, whose remarks do not show what this redactor hides. Results are for programs, and come as they are. */
    public Console without(Redactor hidden) {
        return new Console(out, err, environment, terminal, hidden);
    }

    /** This process's own. */
    public static Console system() {
        return new Console(
                utf8(new FileOutputStream(FileDescriptor.out)),
                utf8(new FileOutputStream(FileDescriptor.err)),
                System.getenv(),
                isTerminal(OUT));
    }

    private static PrintStream utf8(OutputStream stream) {
        return new PrintStream(stream, true, StandardCharsets.UTF_8);
    }

    // System.console() also asks about standard input, and from JDK 22 on it is there without a terminal.
    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException notLinux) {
            return false;
        }
    }

    public PrintStream out() {
        return out;
    }

    public Map<String, String> environment() {
        return environment;
    }

    public boolean hasColours() {
        return terminal
                && environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "").equals("dumb");
    }

    public boolean isDebugging() {
        return environment.getOrDefault("TENURE_DEBUG", "").equals("1");
    }

    /** A result, made safe for a terminal. Returns false if nobody reads it any more. */
    public boolean print(String line) {
        out.print(TerminalText.line(line) + '\n'); // one write: a reader of a pipe never sees half a line
        return !out.checkError();
    }

    public void print(Table table) {
        table.lines().forEach(this::print);
    }

    /** A result for programs, if these options ask for it, or else for people. */
    public void print(Options options, Map<String, ?> object, String sentence) {
        print(options, object, List.of(sentence));
    }

    /** The same with several lines for people. */
    public void print(Options options, Map<String, ?> object, List<String> lines) {
        (options.has(Option.JSON) ? List.of(Json.text(object)) : lines).forEach(this::print);
    }

    /** A remark for people. One write, so that lines of several processes do not mix. */
    public void say(String sentence) {
        err.print("tenure: " + TerminalText.line(redactor.text(sentence)) + '\n');
        err.flush();
    }

    /** Replaces what was said here before, on a terminal; nothing ends it. Elsewhere it is not said at all. */
    public void progress(String line) {
        if (terminal) {
            err.print(CLEAR_LINE + TerminalText.line(redactor.text(line)));
            err.flush();
        }
    }

    /** What only those who look for bugs want to see. */
    public void trace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        err.print(redactor.text(text.toString()));
        err.flush();
    }
}
