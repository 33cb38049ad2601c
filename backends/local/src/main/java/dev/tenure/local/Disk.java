package dev.tenure.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What a test must be able to count or to answer differently than the disk of the machine it runs on. */
interface Disk {
    /** Returns after this file or folder has reached the disk itself. */
    void force(Path path) throws IOException;

    /** The type of the file system, such as {@code ext4} or {@code nfs4}; empty if nobody knows. */
    String typeOf(Path directory);

    static Disk ofThisMachine() {
        return new Disk() {
            @Override
            public void force(Path path) throws IOException {
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                    channel.force(true);
                }
            }

            @Override
            public String typeOf(Path directory) {
                try {
                    return Files.getFileStore(directory).type();
                } catch (IOException notInTheListOfMounts) {
                    return "";
                }
            }
        };
    }
}
