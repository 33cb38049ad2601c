package dev.tenure.jdbc;

import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A row as it is to be.
 *
 * @param expected as it must be now
 * @param notice what those who listen are told behind its id
 * @param others what is to be shown with it
 */
record Change(Versioned row, Versioned expected, String notice, List<String> others) {
    /** PostgreSQL takes 8000, and key and version need some of them. */
    private static final int NOTICE_BYTES_MAX = 6000;

    /** @param version that it is to have */
    static Change of(Write write, String version, long clockMillis) {
        Versioned row =
                new Versioned(write.key(), Optional.of(version), write.value(), write.timeToLive(), clockMillis);
        return new Change(row, write.expected(), noticeOf(write.word(), version), write.beside());
    }

    private static String noticeOf(String word, String version) {
        boolean tells = !word.isEmpty() && word.getBytes(StandardCharsets.UTF_8).length <= NOTICE_BYTES_MAX;
        return tells ? Announcement.SEPARATOR + version + Announcement.SEPARATOR + word : "";
    }

    String key() {
        return row.key();
    }

    String version() {
        return row.version().orElseThrow();
    }

    /** What it must hold now: may be expected by hearsay, if others are to be shown with it; else the version says it all. */
    Optional<String> comparedValue() {
        return others.isEmpty() ? Optional.empty() : Optional.of(expected.value());
    }

    /** Nobody waits for the heartbeat of another one. */
    boolean isHeartbeat() {
        return key().startsWith("s/");
    }
}
