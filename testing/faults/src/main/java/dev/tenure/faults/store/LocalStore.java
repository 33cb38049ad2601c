package dev.tenure.faults.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Files of this machine: only the candidates can be struck. */
public final class LocalStore implements StoreUnderTest {
    private final Path folder;

    private LocalStore(Path folder) {
        this.folder = folder;
    }

    public static LocalStore start() throws IOException {
        return new LocalStore(Files.createTempDirectory("tenure-faults-local-"));
    }

    @Override
    public Optional<Servers> servers() {
        return Optional.empty();
    }

    @Override
    public Optional<Records> records() {
        return Optional.empty();
    }

    @Override
    public String url(List<String> addresses) {
        return "local:" + folder.resolve("state");
    }

    /** Whoever waits has to see a whole TTL of silence, and polls every half. */
    @Override
    public Duration bound(Reach reach, Duration ttl) {
        return ttl.multipliedBy(2);
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
