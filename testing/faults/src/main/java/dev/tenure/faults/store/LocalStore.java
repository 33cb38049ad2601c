package dev.tenure.faults.store;

import dev.tenure.support.Folders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Files of this machine: only the candidates can be struck. */
public final class LocalStore implements StoreUnderTest {
    private final Path folder;

    private LocalStore(Path folder) {
        this.folder = folder;
    }

    public static LocalStore start() {
        return new LocalStore(Folders.temporary("faults-local"));
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
    public void close() {
        Folders.delete(folder);
    }
}
