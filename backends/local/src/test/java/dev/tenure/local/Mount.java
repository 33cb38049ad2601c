// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file system of its own for one test, where this user may mount one; else the test is skipped with that reason. */
final class Mount implements AutoCloseable {
    // EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: what was not forced to the disk is gone, as if the power
    // were.
    private static final String CUT_POWER =
            "open(F, '<', $ARGV[0]) or die $!; my $how = pack('L', 2); ioctl(F, 0x8004587d, $how) or die $!;";

    private final Path directory;
    private final String[] mounting;

    private Mount(Path directory, String[] mounting) throws IOException {
        this.directory = directory.toRealPath();
        this.mounting = mounting;
    }

    static Mount tmpfs(Path directory, String options) {
        return mount(directory, "mount", "-t", "tmpfs", "-o", options, "tmpfs", directory.toString());
    }

    /** An ext4 of its own, on a file, whose power can be cut. */
    static Mount ext4(Path directory) {
        Path image = directory.resolveSibling(directory.getFileName() + ".img");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(64 << 20);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
        assumeTrue(runs("perl", "-e", "1"), "needs perl, to cut the power");
        assumeTrue(runs("mkfs.ext4", "-q", "-F", image.toString()), "needs mkfs.ext4");
        return mount(directory, "mount", "-t", "ext4", "-o", "loop", image.toString(), directory.toString());
    }

    private static Mount mount(Path directory, String... command) {
        try {
            Files.createDirectories(directory);
            assumeTrue(runs(command), "needs the right to mount a file system (root on Linux)");
            return new Mount(directory, command);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    Path directory() {
        return directory;
    }

    /** Ends the file system as a power loss does, and mounts it again as after a boot. */
    void losePower() {
        assumeTrue(runs("perl", "-e", CUT_POWER, directory.toString()), "needs a kernel that can shut ext4 down");
        close();
        if (!runs(mounting)) {
            throw new AssertionError("cannot mount again: " + String.join(" ", mounting));
        }
    }

    @Override
    public void close() {
        if (!runs("umount", directory.toString()) && !runs("umount", "-l", directory.toString())) {
            throw new AssertionError("cannot unmount " + directory);
        }
    }

    private static boolean runs(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException noSuchProgram) {
            return false;
        } catch (InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }
}
