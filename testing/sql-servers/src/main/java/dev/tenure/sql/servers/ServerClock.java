// SPDX-License-Identifier: Apache-2.0
package dev.tenure.sql.servers;

import dev.tenure.support.Installation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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
    /** As the library exports it, and as it does not, for a server that calls the system itself then. */
    private static final String WAIT = "\0epoll_wait\0";

    private static final String NO_WAIT = "\0epoll_wai_\0";

    private final Path file;
    private final Path library;

    private ServerClock(Path file, Path library) {
        this.file = file;
        this.library = library;
    }

    /** @param folder that the server, or another process that is to have the clock, can read */
    public static ServerClock in(Path folder) {
        ServerClock clock = new ServerClock(folder.resolve("clock"), faithful(folder.resolve("libfaketime.so")));
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
    public List<String> prefix() {
        return List.of(
                "env",
                "LD_PRELOAD=" + library,
                "FAKETIME_TIMESTAMP_FILE=" + file,
                "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1");
    }

    /**
     * The library shows the right time to the code that interrupts a wait that went through it. PostgreSQL counts its timeouts
     * in such interruptions, and would not notice that its clock was set back. So no wait goes through this copy.
     */
    private static Path faithful(Path copy) {
        try {
            String original = new String(Files.readAllBytes(original()), StandardCharsets.ISO_8859_1);
            Files.write(copy, original.replace(WAIT, NO_WAIT).getBytes(StandardCharsets.ISO_8859_1));
            return copy;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Path original() {
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
