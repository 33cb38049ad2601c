// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * What is done with files and folders. An instance does what a test must be able to count, or to answer differently than the disk of the
 * machine it runs on.
 */
interface FileOps {
    Logger LOG = System.getLogger("dev.tenure.local");

    /** Returns after this file or folder has reached the disk itself. */
    void force(Path path) throws IOException;

    /** The type of the file system, such as {@code ext4} or {@code nfs4}; empty if nobody knows. */
    String typeOf(Path directory);

    static FileOps ofThisMachine() {
        return new FileOps() {
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

    /** The names that a listing shows: all that were there during the whole call, and perhaps some that were not. */
    static List<String> names(Path folder) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
        } catch (DirectoryIteratorException failure) {
            throw failure.getCause();
        }
        return names;
    }

    static boolean has(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** The only proof that a folder is empty: a listing may miss a name that is changing. */
    static boolean isEmptyAndRemoved(Path folder) throws IOException {
        try {
            Files.delete(folder);
            return true;
        } catch (NoSuchFileException absent) {
            return true;
        } catch (DirectoryNotEmptyException present) {
            return false;
        }
    }

    /** For leftovers that nobody reads: if one stays, {@link BootRecovery} takes it at the next boot. */
    static void drop(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException left) {
            LOG.log(Level.DEBUG, "a leftover stays until the next boot: " + path, left);
        }
    }
}
