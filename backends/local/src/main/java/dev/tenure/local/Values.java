package dev.tenure.local;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The value files: each is written once, complete before anybody can know its name, and never changed. */
final class Values {
    private final Layout layout;
    private final Access access;
    private final Disk disk;

    Values(Layout layout, Access access, Disk disk) {
        this.layout = layout;
        this.access = access;
        this.disk = disk;
    }

    /** @throws NoSuchFileException if the record has another version by now, or the value was lost */
    RecordFile read(Slot slot, Version version) throws IOException, RecordFile.Unreadable {
        Path file = layout.value(slot, version);
        if (Files.size(file) > RecordFile.BYTES_MAX) {
            throw new RecordFile.Unreadable("it is too large for a record");
        }
        RecordFile record = RecordFile.decode(Files.readAllBytes(file));
        if (!record.version().equals(version)) {
            throw new RecordFile.Unreadable("it says that it is version " + record.version());
        }
        if (!Slot.of(record.key()).equals(slot)) {
            throw new RecordFile.Unreadable("it is the record of another key, '" + record.key() + "'");
        }
        return record;
    }

    boolean isWhole(Slot slot, Version version) throws IOException {
        try {
            read(slot, version);
            return true;
        } catch (NoSuchFileException | RecordFile.Unreadable torn) {
            return false;
        }
    }

    void write(Slot slot, RecordFile record) throws IOException {
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
            Folder.drop(file);
            throw failure;
        }
    }

    void drop(Slot slot, Version version) {
        Folder.drop(layout.value(slot, version));
    }
}
