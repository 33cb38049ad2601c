package dev.tenure.cli.lab;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.text.Printable;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Files that the user names. That one cannot be read or written is the user's business, not a bug. */
record LabFile(Path path) {
    private static final int SHOWN_MAX = 200;

    static LabFile named(String name) {
        try {
            return new LabFile(Path.of(name));
        } catch (InvalidPathException wrong) {
            throw Failure.usage("'" + Printable.line(name, SHOWN_MAX) + "' is not the name of a file");
        }
    }

    void write(String text) {
        try {
            Files.writeString(path, text);
        } catch (IOException failure) {
            throw new Failure(ExitCode.USAGE, "cannot write " + path + ": " + reason(failure), failure);
        }
    }

    String read(long bytesMax) {
        try {
            if (Files.size(path) > bytesMax) {
                throw Failure.usage(path + " is too long for a scenario");
            }
            return Files.readString(path);
        } catch (IOException failure) {
            throw new Failure(ExitCode.USAGE, "cannot read " + path + ": " + reason(failure), failure);
        }
    }

    private static String reason(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "there is no such file or folder";
        }
        if (failure instanceof AccessDeniedException) {
            return "not allowed";
        }
        if (failure instanceof CharacterCodingException) {
            return "it is not text";
        }
        String told = failure instanceof FileSystemException file ? file.getReason() : failure.getMessage();
        return told == null ? failure.toString() : told;
    }
}
