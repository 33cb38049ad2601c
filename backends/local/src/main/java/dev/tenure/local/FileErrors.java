// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Turns what the file system says into a sentence that says what to do. */
final class FileErrors {
    private static final long ALMOST_NOTHING_BYTES = 16 * 1024;

    private FileErrors() {}

    static BackendException of(Path root, Effect effect, IOException failure) {
        Kind kind = Kind.UNREACHABLE;
        String sentence = "cannot use " + root + " (" + failure + "); "
                + (effect == Effect.NONE ? "nothing was changed" : "it may have been changed or not");
        if (isFull(root, failure)) {
            sentence = "no space left on " + root + ": free some space; nothing was lost";
        } else if (isReadOnly(root)) {
            kind = Kind.MISCONFIGURED;
            sentence = readOnly(root);
        } else if (failure instanceof AccessDeniedException denied) {
            kind = Kind.MISCONFIGURED;
            sentence = "no access to " + denied.getFile()
                    + ": run as its owner, or let every candidate's user read and " + "write " + root;
        } else if (failure instanceof NoSuchFileException && !Files.isDirectory(root)) {
            sentence = root + " was removed while in use: it is made anew in a second";
        }
        return new BackendException(effect, kind, sentence, failure);
    }

    static String readOnly(Path root) {
        return root + " is on a file system that is read-only: mount it for writing or name another directory, as in "
                + "local:/dir";
    }

    static BackendException corrupt(Path file, String why) {
        return BackendException.corrupt(file + " is damaged or not Tenure's: " + why
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

    static boolean isReadOnly(Path root) {
        try {
            return Files.getFileStore(root).isReadOnly();
        } catch (IOException unknown) {
            return false;
        }
    }
}
