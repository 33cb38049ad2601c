// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.TerminalText;
import dev.tenure.spi.Redactor;
import java.io.ByteArrayInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.ResourceBundle;
import java.util.logging.LogManager;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Logs in one line each on standard error. The JDK's own ({@code java.util.logging}) takes two lines for each and some
 * thirty milliseconds to start, which a wrapper around another command should not cost.
 */
public final class StderrLoggerFinder extends System.LoggerFinder {
    private static final FileOutputStream ERR = new FileOutputStream(FileDescriptor.err);
    private static final String EVENTS = "dev.tenure.transitions";
    private static final Level THRESHOLD = threshold(System.getenv("TENURE_LOG"));
    /** Of the process, as the log is: drivers log too, and know nothing of a console. */
    private static volatile Redactor redactor = Redactor.withoutKnown();

    static void hide(Redactor secrets) {
        redactor = secrets;
    }

    private static Level threshold(@Nullable String name) {
        return Stream.of(Level.values())
                .filter(level -> level.getName().equalsIgnoreCase(name))
                .findFirst()
                .orElse(Level.WARNING);
    }

    @Override
    public Logger getLogger(String name, Module module) {
        if (Boolean.getBoolean(Console.FORWARD_LOGS)) {
            return new LineLogger(name, Level.ALL, Optional.of(java.util.logging.Logger.getLogger(name)));
        }
        // The verbs tell the transitions themselves; who wants more than warnings gets these too.
        boolean told = name.equals(EVENTS) && THRESHOLD == Level.WARNING;
        return new LineLogger(name, told ? Level.OFF : THRESHOLD, Optional.empty());
    }

    /** @param forward a logger of {@code java.util.logging} that gets everything instead, for those who listen there */
    private record LineLogger(String name, Level threshold, Optional<java.util.logging.Logger> forward)
            implements Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            boolean high = level != Level.OFF && level.getSeverity() >= threshold.getSeverity();
            return forward.map(target -> target.isLoggable(translated(level))).orElse(high);
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String message, @Nullable Throwable thrown) {
            if (isLoggable(level)) {
                forward.ifPresentOrElse(
                        target -> target.log(translated(level), message, thrown),
                        () -> write(level, String.valueOf(message), thrown));
            }
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... values) {
            boolean plain = values == null || values.length == 0 || !isLoggable(level);
            String pattern = String.valueOf(format);
            log(level, bundle, plain ? pattern : new MessageFormat(pattern, Locale.ROOT).format(values), (Throwable)
                    null);
        }

        /** Both have the same numbers. */
        private static java.util.logging.Level translated(Level level) {
            return java.util.logging.Level.parse(Integer.toString(level.getSeverity()));
        }

        private static void write(Level level, String message, @Nullable Throwable thrown) {
            StringBuilder line = new StringBuilder("tenure: ");
            line.append(level.getName().toLowerCase(Locale.ROOT)).append(": ").append(oneLine(message));
            if (thrown != null) {
                line.append(" (").append(oneLine(thrown.toString())).append(')');
            }
            line.append('\n');
            if (thrown != null && "1".equals(System.getenv("TENURE_DEBUG"))) {
                for (StackTraceElement frame : thrown.getStackTrace()) {
                    line.append("    at ").append(frame).append('\n');
                }
            }
            try {
                ERR.write(line.toString().getBytes(StandardCharsets.UTF_8));
            } catch (IOException nobodyListens) {
                return; // there is nowhere left to say so
            }
        }

        private static String oneLine(String text) {
            return TerminalText.line(redactor.text(text));
        }
    }

    /**
     * Silences the client libraries of stores that log to {@code java.util.logging}: what a user has to know of a lost connection
     * is in the error that the verb prints. The JDK creates it when the first of them asks for a logger, so it costs nothing
     * otherwise.
     */
    public static final class LibraryLogs {
        private static final String PROPERTY = "java.util.logging.config.class";
        private static final String SETTINGS = """
            handlers=java.util.logging.ConsoleHandler
            .level=INFO
            io.grpc.level=OFF
            org.postgresql.level=OFF
            """;

        /** Called by the JDK. */
        public LibraryLogs() throws IOException {
            byte[] settings = SETTINGS.getBytes(StandardCharsets.ISO_8859_1);
            LogManager.getLogManager().readConfiguration(new ByteArrayInputStream(settings));
        }

        /** A user that has settings of its own keeps them. */
        static void silence() {
            if (System.getProperty(PROPERTY) == null && System.getProperty("java.util.logging.config.file") == null) {
                System.setProperty(PROPERTY, LibraryLogs.class.getName());
            }
        }
    }
}
