// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.FencingToken;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The promise that no token above this one was issued, kept on the disk itself. It is why records need no fsync.
 * A power loss may take a claim back to an older version or tear it. The next token is still above everything that was
 * ever issued, because it begins above the ceiling ({@link BootRecovery}). And the ceiling is raised by many tokens at
 * once, so that thousands of claims cost a few fsyncs.
 *
 * <p>An empty file named after the token; the highest name counts. Names cannot be torn, the highest only grows, and a
 * lower one is removed only after a higher one has reached the disk: no process has to wait for another here either.
 *
 * <p>Tokens are compared whole, era and sequence. That is enough, because the era is durable by itself (record {@code e})
 * before it is used. So after a power loss tokens have at least the era of the ceiling. Those of an older era are all
 * smaller, and those of the same era are held apart by the sequence.
 *
 * <p>Not safe for use by several threads.
 */
final class TokenCeiling {
    /** How many tokens are promised ahead. Tokens follow the clock in milliseconds: about ten seconds of claims. */
    static final long AHEAD = 10_000;

    private static final Pattern NAME = Pattern.compile("[0-9]{19}");

    private final Path folder;
    private final FilePermissions access;
    private final FileOps disk;
    private long durable;

    TokenCeiling(StatePaths layout, FilePermissions access, FileOps disk) {
        this.folder = layout.ceiling();
        this.access = access;
        this.disk = disk;
    }

    boolean covers(long token) {
        return token <= durable;
    }

    /** Returns after a ceiling at or above this token has reached the disk. */
    void cover(long token) throws IOException {
        long highest = highest();
        // One that another process has put there may not have reached the disk yet, so that one is forced as well.
        long ceiling = highest >= token ? highest : ahead(token);
        Path file = folder.resolve(name(ceiling));
        try {
            access.createFile(file, new byte[0]);
        } catch (FileAlreadyExistsException same) {
            // As good as mine.
        }
        disk.force(file);
        disk.force(folder);
        durable = ceiling;
        for (String name : FileOps.names(folder)) {
            if (NAME.matcher(name).matches() && name.compareTo(name(ceiling)) < 0) {
                FileOps.drop(folder.resolve(name));
            }
        }
    }

    /** 0 if no token was ever issued. */
    long highest() throws IOException {
        long highest = 0;
        for (String name : FileOps.names(folder)) {
            if (NAME.matcher(name).matches()) {
                highest = Math.max(highest, Long.parseLong(name));
            }
        }
        return highest;
    }

    private static long ahead(long token) {
        // Never over into the next era: its tokens were not issued.
        return Math.min(token + AHEAD, token | FencingToken.SEQUENCE_MAX);
    }

    static String name(long token) {
        return String.format(Locale.ROOT, "%019d", token);
    }
}
