package dev.tenure.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;

/**
 * Silences the client libraries of stores that log to {@code java.util.logging}: what a user has to know of a lost connection
 * is in the error that the verb prints. The JDK creates it when the first of them asks for a logger, so it costs nothing
 * otherwise.
 */
public final class LibraryLogs {
    private static final String PROPERTY = "java.util.logging.config.class";
    private static final String SETTINGS = """
            handlers=java.util.logging.ConsoleHandler
            .level=INFO
            io.grpc.level=OFF
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
