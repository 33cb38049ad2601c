// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.local.RecordFile.Version;
import java.nio.file.Path;
import java.util.List;

/**
 * The state directory.
 *
 * <pre>
 * format                               "tenure local 1"
 * records/KIND/HASH/VERSION            an empty file whose name is the record's current version
 * values/KIND-HASH.VERSION             what that version says, as text
 * values/KIND-HASH.new.WRITE           a record directory in the making
 * ceiling/TOKEN                        no token above this one was issued; the name is the content
 * boot/BOOT.TOKEN                      the boot that last recovered, and the ceiling that it found
 * torn/                                what a power loss left half-written, kept for people
 * </pre>
 */
record StatePaths(Path root) {
    static final List<String> FOLDERS = List.of("records", "values", "ceiling", "boot", "torn");

    Path format() {
        return root.resolve("format");
    }

    Path records(String kind) {
        return root.resolve("records").resolve(kind);
    }

    Path record(RecordKey slot) {
        return records(slot.kind()).resolve(slot.hash());
    }

    Path pointer(RecordKey slot, Version version) {
        return record(slot).resolve(version.fileName());
    }

    Path values() {
        return root.resolve("values");
    }

    Path value(RecordKey slot, Version version) {
        return values().resolve(slot + "." + version.fileName());
    }

    Path newRecord(RecordKey slot, Version first) {
        return values().resolve(slot + ".new." + first.writeId());
    }

    Path ceiling() {
        return root.resolve("ceiling");
    }

    Path boot() {
        return root.resolve("boot");
    }

    Path torn() {
        return root.resolve("torn");
    }
}
