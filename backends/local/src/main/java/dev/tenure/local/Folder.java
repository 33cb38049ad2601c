package dev.tenure.local;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What several classes here do with folders. */
final class Folder {
    private static final Logger LOG = System.getLogger("dev.tenure.local");

    private Folder() {}

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
