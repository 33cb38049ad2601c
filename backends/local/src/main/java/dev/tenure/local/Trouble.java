package dev.tenure.local;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Turns what the file system says into a sentence that says what to do. */
final class Trouble {
    private static final long ALMOST_NOTHING_BYTES = 16 * 1024;

    private Trouble() {}

    static BackendException of(Path root, Effect effect, IOException failure) {
        String kept = effect == Effect.NONE ? "nothing was changed" : "it may have been changed or not";
        if (isFull(root, failure)) {
            return new BackendException(
                    effect,
                    Kind.UNREACHABLE,
                    "no space left on " + root + ": free some space; nothing was lost",
                    failure);
        }
        if (isReadOnly(root)) {
            return new BackendException(
                    effect,
                    Kind.MISCONFIGURED,
                    root + " is on a file system that is read-only: mount it for writing or name another directory, "
                            + "as in local:/dir",
                    failure);
        }
        if (failure instanceof AccessDeniedException denied) {
            return new BackendException(
                    effect,
                    Kind.MISCONFIGURED,
                    "no access to " + denied.getFile() + ": run as its owner, or let every candidate's user read and "
                            + "write " + root,
                    failure);
        }
        if (failure instanceof NoSuchFileException && !Files.isDirectory(root)) {
            return new BackendException(
                    effect, Kind.UNREACHABLE, root + " was removed while in use: it is made anew in a second", failure);
        }
        return new BackendException(
                effect, Kind.UNREACHABLE, "cannot use " + root + " (" + failure + "); " + kept, failure);
    }

    static BackendException corrupt(Path file, String why) {
        return new BackendException(
                Effect.NONE,
                Kind.CORRUPT,
                file + " is damaged or not Tenure's: " + why
                        + ". Nothing was changed. Stop every candidate, move it out of the directory and start again");
    }

    // The message is the kernel's and may be in the user's language, so the free space is asked as well.
    private static boolean isFull(Path root, IOException failure) {
        String message = String.valueOf(failure.getMessage());
        if (message.contains("No space left on device") || message.contains("Disk quota exceeded")) {
            return true;
        }
        try {
            return Files.getFileStore(root).getUsableSpace() < ALMOST_NOTHING_BYTES;
        } catch (IOException unknown) {
            return false;
        }
    }

    private static boolean isReadOnly(Path root) {
        try {
            FileStore store = Files.getFileStore(root);
            return store.isReadOnly();
        } catch (IOException unknown) {
            return false;
        }
    }
}
