// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.store;

import dev.tenure.support.Folders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Files of this machine: only the candidates can be struck. */
public final class LocalFilesStore implements StoreUnderTest {
    private final Path folder;

    private LocalFilesStore(Path folder) {
        this.folder = folder;
    }

    public static LocalFilesStore start() {
        return new LocalFilesStore(Folders.temporary("faults-local"));
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

    /** A candidate that waits has to see a whole TTL of silence, and polls every half. */
    @Override
    public Duration bound(FaultScope scope, Duration ttl) {
        return ttl.multipliedBy(2);
    }

    @Override
    public void close() {
        Folders.delete(folder);
    }
}
