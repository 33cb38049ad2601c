package dev.tenure.sql.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The wall clock as one server sees it. It can be moved while the server runs, by libfaketime between the server and the
 * system; the machine's own clock stays as it is, and so does the monotonic one, as when somebody sets a real clock.
 */
public final class ServerClock {
    private final Path file;

    private ServerClock(Path file) {
        this.file = file;
    }

    /** @param folder that the server can read */
    static ServerClock in(Path folder) {
        ServerClock clock = new ServerClock(folder.resolve("clock"));
        clock.move(Duration.ZERO);
        return clock;
    }

    /** How far it goes before the machine's, from now on; negative if it is behind. */
    public void move(Duration ahead) {
        Path fresh = file.resolveSibling("clock-to-be");
        try {
            Files.writeString(fresh, (ahead.isNegative() ? "" : "+") + ahead.toSeconds() + "\n");
            // At once: a server that reads half a file has no time at all.
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** What is put before the command of the server. As another user's, because the library keeps its notes as that user. */
    List<String> prefix() {
        return List.of(
                "env",
                "LD_PRELOAD=" + library(),
                "FAKETIME_TIMESTAMP_FILE=" + file,
                "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1");
    }

    private static Path library() {
        Path parent = Installation.of("faketime").program("usr/lib");
        try (Stream<Path> platforms = Files.list(parent)) {
            Optional<Path> found = platforms
                    .map(platform -> platform.resolve("faketime/libfaketimeMT.so.1"))
                    .filter(Files::exists)
                    .findFirst();
            return found.orElseThrow(() -> new IllegalStateException("no libfaketimeMT.so.1 under " + parent));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
