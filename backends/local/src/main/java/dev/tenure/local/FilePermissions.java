// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The users that may read and change what this store makes: exactly those that may do so with the state directory itself.
 * A private directory stays private, and one that a group shares works for the group, whatever the umask of each member.
 */
record FilePermissions(int mode) {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final int OTHERS = 0077;
    private static final int OTHERS_WRITE = 0022;
    // With set-group-id, which hands the group on; without the sticky bit, which would forbid to replace others' files.
    private static final int FOLDER_BITS = 02777;
    private static final int FILE_BITS = 0666;

    static FilePermissions like(Path directory) throws IOException {
        return new FilePermissions((Integer) Files.getAttribute(directory, "unix:mode"));
    }

    /** With its parents. */
    static void createPrivate(Path directory) throws IOException {
        Files.createDirectories(directory, OWNER_FOLDER);
    }

    boolean othersMayWrite() {
        return (mode & OTHERS_WRITE) != 0;
    }

    void createFolder(Path folder) throws IOException {
        Files.createDirectory(folder, OWNER_FOLDER);
        if ((mode & OTHERS) != 0) {
            Files.setAttribute(folder, "unix:mode", mode & FOLDER_BITS);
        }
    }

    void createFile(Path file, byte[] content) throws IOException {
        try (SeekableByteChannel out = Files.newByteChannel(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_FILE)) {
            ByteBuffer rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                out.write(rest);
            }
        }
        if ((mode & OTHERS) != 0) {
            Files.setAttribute(file, "unix:mode", mode & FILE_BITS);
        }
    }
}
