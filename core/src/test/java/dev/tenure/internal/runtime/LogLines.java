// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The lines that a logger writes while something runs. */
public final class LogLines {
    private LogLines() {}

    public static List<String> of(String name, Runnable run) {
        return of(name, lines -> run.run());
    }

    /** @param run is shown the lines that have been written so far */
    public static List<String> of(String name, Consumer<List<String>> run) {
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            private final SimpleFormatter formatter = new SimpleFormatter();

            @Override
            public void publish(LogRecord written) {
                lines.add(written.getLevel() + " " + formatter.formatMessage(written));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(name);
        boolean parents = logger.getUseParentHandlers();
        Level level = logger.getLevel();
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        logger.setLevel(Level.INFO);
        try {
            run.accept(lines);
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(parents);
            logger.setLevel(level);
        }
        return List.copyOf(lines);
    }
}
