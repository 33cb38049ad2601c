package dev.tenure.cli;

import java.lang.System.Logger;
import java.util.ResourceBundle;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/** A logger that passes everything on to {@code java.util.logging}, for those who listen there. */
final class ForwardedLog implements Logger {
    private final java.util.logging.Logger target;

    ForwardedLog(String name) {
        this.target = java.util.logging.Logger.getLogger(name);
    }

    @Override
    public String getName() {
        return String.valueOf(target.getName());
    }

    @Override
    public boolean isLoggable(Level level) {
        return target.isLoggable(translated(level));
    }

    @Override
    public void log(
            Level level, @Nullable ResourceBundle bundle, @Nullable String message, @Nullable Throwable thrown) {
        if (isLoggable(level)) {
            LogRecord entry = new LogRecord(translated(level), message);
            entry.setLoggerName(target.getName());
            entry.setThrown(thrown);
            target.log(entry);
        }
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... values) {
        if (isLoggable(level)) {
            LogRecord entry = new LogRecord(translated(level), format);
            entry.setLoggerName(target.getName());
            entry.setParameters(values);
            target.log(entry);
        }
    }

    private static java.util.logging.Level translated(Level level) {
        return switch (level) {
            case ALL -> java.util.logging.Level.ALL;
            case TRACE -> java.util.logging.Level.FINER;
            case DEBUG -> java.util.logging.Level.FINE;
            case INFO -> java.util.logging.Level.INFO;
            case WARNING -> java.util.logging.Level.WARNING;
            case ERROR -> java.util.logging.Level.SEVERE;
            case OFF -> java.util.logging.Level.OFF;
        };
    }
}
