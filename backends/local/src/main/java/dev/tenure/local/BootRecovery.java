// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.FencingToken;
import dev.tenure.local.RecordFile.Version;
import dev.tenure.spi.BackendException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the first process after a boot does, before anybody reads a record. Records are not forced to the disk one by one, so
 * a power loss may have left some of them torn, or older than they were.
 *
 * <ol>
 *   <li>Note the ceiling. Tokens of this boot begin above it, so it does not matter what was lost.
 *   <li>Take torn records away; what is left of them goes to {@code torn/}, where people can look at it.
 *   <li>Remove what writers of earlier boots have left: none of them can be alive.
 *   <li>Leave a note with this boot's id and the ceiling, so that the next process finds it done.
 * </ol>
 *
 * <p>Any number of processes may do this at once, and one that was stopped in the middle may go on at any time. A torn
 * record is taken away by removing the very version that was found torn, and a note with a later, higher ceiling does no harm.
 *
 * <p>The note also tells that only one machine uses the directory. If another kernel shares it, by some path that did not
 * look like a network file system, each takes the other's sessions for dead; but each also removes the other's note.
 */
record BootRecovery(StatePaths layout, FilePermissions access, FileRecords records, TokenCeiling ceiling) {
    private static final Logger LOG = System.getLogger("dev.tenure.local");
    // Of processes that know no boot id: whether those are alive cannot be told.
    private static final String NO_TAG = "00000000";
    private static final Pattern NOTE = Pattern.compile("(.*)\\.([0-9]{19})");
    private static final Pattern LEFTOVER =
            Pattern.compile(RecordKey.NAME + "\\.(?:new|([0-9]{12,18}))\\.([0-9a-f]{8})-([0-9a-f]{16})");

    /** The sequence above which tokens of this boot begin. */
    long floor(Optional<String> bootId) throws IOException {
        if (bootId.isEmpty()) {
            // Nothing here tells whether this is another boot, so every start counts as one. It only makes tokens
            // larger.
            return sequence(ceiling.highest());
        }
        long noted = noted(bootId.get());
        if (noted >= 0) {
            return sequence(noted);
        }
        long highest = ceiling.highest();
        Set<String> live = new HashSet<>();
        int torn = 0;
        for (String kind : RecordKey.KINDS) {
            for (RecordKey slot : records.slots(kind)) {
                torn += settle(slot, live);
            }
        }
        if (torn > 0) {
            LOG.log(
                    Level.WARNING,
                    "this machine went down while records were written: {0} torn, see {1}; tokens go on above {2}",
                    torn,
                    layout.torn(),
                    Long.toString(highest));
        }
        removeLeftovers(tag(bootId), live);
        note(bootId.get(), highest);
        return sequence(highest);
    }

    /** Fails if another machine has taken the directory over. */
    void checkStillNoted(Optional<String> bootId) throws IOException {
        if (bootId.isPresent() && noted(bootId.get()) < 0) {
            throw BackendException.misconfigured(layout.root()
                    + " is in use by another machine, or its boot folder was changed: local: is for the processes of one"
                    + " machine, so give each machine a directory of its own or use a store for many machines");
        }
    }

    /** What names of this boot's files begin with. */
    static String tag(Optional<String> bootId) {
        return bootId.map(id -> id.substring(0, 8)).orElse(NO_TAG);
    }

    private static long sequence(long token) {
        return token & FencingToken.SEQUENCE_MAX;
    }

    private long noted(String bootId) throws IOException {
        long highest = -1;
        for (String name : FileOps.names(layout.boot())) {
            Matcher note = NOTE.matcher(name);
            if (note.matches() && note.group(1).equals(bootId)) {
                highest = Math.max(highest, Long.parseLong(note.group(2)));
            }
        }
        return highest;
    }

    private void note(String bootId, long highest) throws IOException {
        try {
            access.createFile(layout.boot().resolve(bootId + "." + TokenCeiling.name(highest)), new byte[0]);
        } catch (FileAlreadyExistsException another) {
            // Another process was as fast and found the same.
        }
        for (String name : FileOps.names(layout.boot())) {
            if (!name.startsWith(bootId + ".")) {
                FileOps.drop(layout.boot().resolve(name));
            }
        }
    }

    /** Leaves at most one pointer, to a whole value. Returns how many were torn. */
    private int settle(RecordKey slot, Set<String> live) throws IOException {
        List<Version> versions = records.pointers(slot);
        Optional<Version> keep = Optional.empty();
        for (Version version : versions) {
            if (keep.isEmpty() && records.isWhole(slot, version)) {
                keep = Optional.of(version);
            }
        }
        if (keep.isPresent() && !FileOps.has(layout.pointer(slot, keep.get()))) {
            // It changes while we look: another process of this boot has been here, and has settled it.
            return 0;
        }
        if (keep.isEmpty() && slot.isDurable() && !versions.isEmpty()) {
            // Forced to the disk before it was used, so this is no power loss; and without it the era would start anew,
            // below tokens that were issued.
            throw BackendException.corrupt(layout.record(slot)
                    + " holds the store's era and is damaged. Nothing was changed. Restore it from a backup; or move it"
                    + " away and raise the era before any candidate starts: tenure era raise");
        }
        int torn = 0;
        for (Version version : versions) {
            if (keep.isPresent() && keep.get().equals(version)) {
                live.add(String.valueOf(layout.value(slot, version).getFileName()));
            } else if (putAside(slot, version)) {
                torn++;
            }
        }
        return torn;
    }

    private boolean putAside(RecordKey slot, Version version) throws IOException {
        try {
            Files.delete(layout.pointer(slot, version));
        } catch (NoSuchFileException gone) {
            return false;
        }
        Path value = layout.value(slot, version);
        try {
            // Most file systems leave an empty file, which tells nobody anything.
            if (Files.size(value) == 0) {
                FileOps.drop(value);
            } else {
                Files.move(
                        value, layout.torn().resolve(slot + "." + version.fileName()), StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (NoSuchFileException lost) {
            LOG.log(Level.DEBUG, "{0} has no value", layout.pointer(slot, version));
        }
        return true;
    }

    private void removeLeftovers(String tag, Set<String> live) throws IOException {
        for (String name : FileOps.names(layout.values())) {
            Matcher leftover = LEFTOVER.matcher(name);
            if (!leftover.matches()
                    || leftover.group(4).equals(tag)
                    || leftover.group(4).equals(NO_TAG)
                    || live.contains(name)) {
                continue;
            }
            Path path = layout.values().resolve(name);
            if (leftover.group(3) == null) {
                removeNewRecord(path);
            } else if (!isLive(leftover)) {
                FileOps.drop(path);
            }
        }
    }

    private static void removeNewRecord(Path path) throws IOException {
        try {
            for (String pointer : FileOps.names(path)) {
                FileOps.drop(path.resolve(pointer));
            }
        } catch (NoSuchFileException another) {
            return;
        }
        FileOps.drop(path);
    }

    // Asked again, because settling gives up on a record that changes meanwhile.
    private boolean isLive(Matcher leftover) throws IOException {
        RecordKey slot = new RecordKey(leftover.group(1), leftover.group(2));
        Version version = new Version(Long.parseLong(leftover.group(3)), leftover.group(4) + "-" + leftover.group(5));
        return records.pointers(slot).contains(version);
    }
}
