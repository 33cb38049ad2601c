// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The disk of this machine, which remembers what was forced and can pretend to be of another type. */
final class CountingFileOps implements FileOps {
    final List<Path> forced = new CopyOnWriteArrayList<>();
    volatile String pretendedType = "";
    private final FileOps disk = FileOps.ofThisMachine();

    @Override
    public void force(Path path) throws IOException {
        disk.force(path);
        forced.add(path);
    }

    @Override
    public String typeOf(Path directory) {
        return pretendedType.isEmpty() ? disk.typeOf(directory) : pretendedType;
    }
}
