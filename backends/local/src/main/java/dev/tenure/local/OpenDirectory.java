package dev.tenure.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A state directory that was checked, and what is known of it. All of that is void when somebody has removed it or put
 * another one in its place.
 *
 * @param floor the sequence above which tokens begin
 * @param identity what tells this directory from another one with the same path
 */
record OpenDirectory(
        StateDirectory directory,
        Records records,
        Ceiling ceiling,
        BootRecovery recovery,
        long floor,
        String identity) {

    static OpenDirectory of(StateDirectory directory, Machine machine) throws IOException {
        Layout layout = directory.layout();
        Records records = new Records(layout, directory.access(), machine.disk());
        Ceiling ceiling = new Ceiling(layout, directory.access(), machine.disk());
        BootRecovery recovery = new BootRecovery(layout, directory.access(), records, ceiling);
        long floor = recovery.floor(machine.clock().bootId());
        return new OpenDirectory(directory, records, ceiling, recovery, floor, identity(directory));
    }

    /** The same path, opened again. */
    OpenDirectory again(Machine machine, long random) throws IOException {
        OpenDirectory opened = of(directory.again(machine.disk(), random), machine);
        return new OpenDirectory(
                opened.directory,
                opened.records,
                opened.ceiling,
                opened.recovery,
                Math.max(floor, opened.floor),
                opened.identity);
    }

    Layout layout() {
        return directory.layout();
    }

    boolean isStillThere() throws IOException {
        try {
            return identity.equals(identity(directory));
        } catch (NoSuchFileException removed) {
            return false;
        }
    }

    /**
     * Of the format file, which is written once. By the path that was asked for, because a link may point elsewhere by now.
     * The time is part of it because a file system may give an inode away again.
     */
    private static String identity(StateDirectory directory) throws IOException {
        Path format = new Layout(directory.asked()).format();
        BasicFileAttributes file = Files.readAttributes(format, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return file.fileKey() + " " + file.lastModifiedTime();
    }
}
