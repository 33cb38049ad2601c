package dev.tenure.internal.loop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The lines that a logger writes while something runs. */
public final class LogLines {
    private LogLines() {}

    public static List<String> of(String name, Runnable run) {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
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
            run.run();
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(parents);
            logger.setLevel(level);
        }
        return List.copyOf(lines);
    }
}
