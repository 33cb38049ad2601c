// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.local.RecordFile.Version;
import dev.tenure.spi.BackendException.Effect;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Compare-and-set on files, without a lock. A lock held by a process that is stopped (SIGSTOP, a frozen container, a
 * debugger) would stop every other candidate for ever, so nobody ever waits for anybody here.
 *
 * <p>A record is a directory with one empty file, the <em>pointer</em>, whose name is the current version. What the
 * version says stands elsewhere, in a value file that is complete before the pointer names it and never changes.
 *
 * <pre>
 * replace   write the new value; rename(pointer of the expected version, pointer of the new one); drop the old value
 * create    write the value; make a directory with its pointer; rename(that directory, the record's directory)
 * remove    unlink(pointer of the expected version); drop the value; rmdir the record's directory
 * read      list the directory: the name is the version; read its value; if that is gone, begin again
 * </pre>
 *
 * <p>Why it is linearizable: each of these has one system call that takes effect, and it is atomic.
 *
 * <ul>
 *   <li>{@code rename} and {@code unlink} fail if the source is not there. A version's name holds 64 random bits and never
 *       comes back, so they succeed exactly if the record still has the expected version. Of two rivals one finds the
 *       name gone. A writer that was stopped for hours finds the same: there is no number that it could take again.
 *   <li>{@code rename} of a directory fails if the target is a directory with something in it. A record's directory
 *       always has its pointer in it; so this succeeds exactly if there is no record.
 *   <li>A name seen in a listing was current at some moment of that listing. A listing that raced with a rename may show
 *       both names, of which the higher was current last, or, on some systems, none. So an empty listing proves nothing:
 *       {@code rmdir} does, because it succeeds only on a directory that is truly empty.
 *   <li>The old value is dropped only after the pointer has left it. A reader that comes too late for the value finds
 *       another pointer; one that finds the same pointer again knows that the value is really missing.
 * </ul>
 *
 * <p>A process killed between any two steps leaves the old record or the new one, and at most a value and a directory
 * that no pointer names. Those cannot be told from the work of a writer that is merely stopped, which may still succeed;
 * so they stay until the next boot ({@link BootRecovery}), when no such writer can be alive.
 *
 * <p>Dropping the old value, or moving the new directory out of {@code values}, is also what {@link DirectoryWatcher} listens to.
 */
record FileRecords(StatePaths layout, FilePermissions access, FileOps disk) {
    // Every turn means that somebody else has written, so this is reached only by a record that changes all the time.
    private static final int TURNS_MAX = 1000;

    Optional<RecordFile> read(RecordKey slot) throws IOException {
        Optional<Version> missing = Optional.empty();
        for (int turn = 0; turn < TURNS_MAX; turn++) {
            Optional<Version> current = current(slot);
            if (current.isEmpty()) {
                return Optional.empty();
            }
            Version version = current.get();
            if (current.equals(missing)) {
                if (!FileOps.has(layout.values())) {
                    throw new NoSuchFileException(layout.values().toString()); // so not this record alone
                }
                throw FileErrors.corrupt(
                        layout.record(slot), "its value " + layout.value(slot, version) + " is missing");
            }
            try {
                return Optional.of(readValue(slot, version));
            } catch (NoSuchFileException replaced) {
                missing = current;
            } catch (RecordFile.Unreadable damaged) {
                throw FileErrors.corrupt(layout.value(slot, version), String.valueOf(damaged.getMessage()));
            }
        }
        throw new IOException(layout.record(slot) + " changes faster than it can be read");
    }

    /** @throws NoSuchFileException if the record has another version by now, or the value was lost */
    private RecordFile readValue(RecordKey slot, Version version) throws IOException, RecordFile.Unreadable {
        Path file = layout.value(slot, version);
        if (Files.size(file) > RecordFile.BYTES_MAX) {
            throw new RecordFile.Unreadable("it is too large for a record");
        }
        RecordFile record = RecordFile.decode(Files.readAllBytes(file));
        if (!record.version().equals(version)) {
            throw new RecordFile.Unreadable("it says that it is version " + record.version());
        }
        if (!RecordKey.of(record.key()).equals(slot)) {
            throw new RecordFile.Unreadable("it is the record of another key, '" + record.key() + "'");
        }
        return record;
    }

    /** Is the value of this version there, and not torn? */
    boolean isWhole(RecordKey slot, Version version) throws IOException {
        try {
            readValue(slot, version);
            return true;
        } catch (NoSuchFileException | RecordFile.Unreadable torn) {
            return false;
        }
    }

    private void writeValue(RecordKey slot, RecordFile record) throws IOException {
        Path file = layout.value(slot, record.version());
        try {
            access.createFile(file, record.encode());
            if (slot.isDurable()) {
                disk.force(file);
                disk.force(layout.values());
            }
        } catch (FileAlreadyExistsException sameRandomBits) {
            throw sameRandomBits;
        } catch (IOException failure) {
            FileOps.drop(file);
            throw failure;
        }
    }

    private void dropValue(RecordKey slot, Version version) {
        FileOps.drop(layout.value(slot, version));
    }

    /** False if there is a record already. */
    boolean create(RecordKey slot, RecordFile first) throws IOException {
        if (current(slot).isPresent()) {
            return false;
        }
        Path made = layout.newRecord(slot, first.version());
        boolean created;
        writeValue(slot, first);
        try {
            access.createFolder(made);
            access.createFile(made.resolve(first.version().fileName()), new byte[0]);
            created = moveIntoPlace(slot, made);
        } catch (IOException notCreated) {
            dropNew(slot, first.version());
            throw notCreated;
        }
        if (!created) {
            dropNew(slot, first.version());
        } else if (slot.isDurable()) {
            force(layout.record(slot));
            force(layout.records(slot.kind()));
        }
        return created;
    }

    private boolean moveIntoPlace(RecordKey slot, Path made) throws IOException {
        for (int turn = 0; ; turn++) {
            try {
                Files.move(made, layout.record(slot), StandardCopyOption.ATOMIC_MOVE);
                return true;
            } catch (IOException failure) {
                // Nobody else knows this folder: if it still stands here, the record was not created.
                if (!FileOps.has(made)) {
                    throw FileErrors.of(layout.root(), Effect.UNKNOWN, failure);
                }
                if (current(slot).isPresent()) {
                    return false;
                }
                if (turn == TURNS_MAX) {
                    throw failure;
                }
            }
        }
    }

    private void dropNew(RecordKey slot, Version first) {
        Path made = layout.newRecord(slot, first);
        FileOps.drop(made.resolve(first.fileName()));
        FileOps.drop(made);
        dropValue(slot, first);
    }

    /** False if the record no longer has this version. */
    boolean replace(RecordKey slot, Version expected, RecordFile next) throws IOException {
        Path from = layout.pointer(slot, expected);
        if (!FileOps.has(from)) {
            return false;
        }
        writeValue(slot, next);
        try {
            Files.move(from, layout.pointer(slot, next.version()), StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException replaced) {
            dropValue(slot, next.version());
            return false;
        } catch (IOException failure) {
            if (!FileOps.has(from)) {
                // The value stays: the pointer may name it.
                throw FileErrors.of(layout.root(), Effect.UNKNOWN, failure);
            }
            dropValue(slot, next.version());
            throw failure;
        }
        if (slot.isDurable()) {
            force(layout.record(slot));
        }
        dropValue(slot, expected);
        return true;
    }

    /** False if the record no longer has this version. */
    boolean remove(RecordKey slot, Version expected) throws IOException {
        try {
            Files.delete(layout.pointer(slot, expected));
        } catch (NoSuchFileException replaced) {
            return false;
        }
        if (slot.isDurable()) {
            force(layout.record(slot));
        }
        dropValue(slot, expected);
        FileOps.drop(layout.record(slot));
        return true;
    }

    List<RecordKey> slots(String kind) throws IOException {
        List<RecordKey> slots = new ArrayList<>();
        for (String hash : FileOps.names(layout.records(kind))) {
            if (!RecordKey.NAME.matcher(kind + "-" + hash).matches()) {
                throw FileErrors.corrupt(layout.records(kind).resolve(hash), "no record has such a name");
            }
            slots.add(new RecordKey(kind, hash));
        }
        return slots;
    }

    /** The versions that a listing shows, the highest first. */
    List<Version> pointers(RecordKey slot) throws IOException {
        List<Version> versions = new ArrayList<>();
        try {
            for (String name : FileOps.names(layout.record(slot))) {
                versions.add(Version.ofFileName(name)
                        .orElseThrow(() ->
                                FileErrors.corrupt(layout.record(slot).resolve(name), "no version has such a name")));
            }
        } catch (NoSuchFileException absent) {
            return List.of();
        } catch (NotDirectoryException foreign) {
            throw FileErrors.corrupt(layout.record(slot), "a record is a directory");
        }
        versions.sort(Comparator.comparingLong(Version::number).reversed());
        return versions;
    }

    private Optional<Version> current(RecordKey slot) throws IOException {
        for (int turn = 0; turn < TURNS_MAX; turn++) {
            List<Version> versions = pointers(slot);
            if (!versions.isEmpty()) {
                return Optional.of(versions.get(0));
            }
            if (FileOps.isEmptyAndRemoved(layout.record(slot))) {
                return Optional.empty();
            }
        }
        throw new IOException(layout.record(slot) + " changes faster than it can be listed");
    }

    // After the rename: the record is there, and only its safety against a power loss is in doubt.
    private void force(Path path) {
        try {
            disk.force(path);
        } catch (IOException failure) {
            throw FileErrors.of(layout.root(), Effect.UNKNOWN, failure);
        }
    }
}
