// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.support.Folders;
import java.nio.file.Path;
import java.util.List;

/** A folder of this machine. There is nobody to be compared with, and no server that counts. */
public final class LocalFolder extends UncountedStore {
    private final Path folder = Folders.temporary("bench");

    @Override
    public String name() {
        return "local:";
    }

    @Override
    public List<Kind> peers() {
        return List.of();
    }

    @Override
    public String address(Kind kind) {
        return "local:" + folder;
    }

    @Override
    public String address(Kind kind, int server) {
        return address(kind);
    }

    @Override
    public void close() {
        Folders.delete(folder);
    }
}
