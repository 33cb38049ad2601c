// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.Scope;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.support.StoreUrl;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Makes or finds the state directory, and refuses a place that cannot work, with a sentence that says what to do.
 *
 * @param scope how far exclusion reaches: the machine if other users can write here, else this user
 * @param asked the path as it was asked for, which may be a link
 * @param ours whether it is the user's own, of which nobody had to think
 */
record StateDirectory(StatePaths layout, FilePermissions access, Scope scope, Path asked, boolean ours) {
    private static final String FORMAT = RecordFile.MAGIC + "\n";
    private static final Set<String> TOLERATED = Set.of("lost+found");
    private static final List<Path> MACHINE_WIDE = List.of(Path.of("/var"), Path.of("/run"));

    /** One that somebody has named is made only if its parent exists: a typing error must not make a new world. */
    static StateDirectory open(Path directory, boolean ours, FileOps disk, long random) {
        if (!directory.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            throw StoreUrl.refused(
                    "local: needs a POSIX file system, as on Linux or macOS: use a store with a server here");
        }
        try {
            Path root = make(directory, ours, disk);
            refuseNetwork(root, disk);
            refuseWithoutAccess(root);
            FilePermissions access = FilePermissions.like(root);
            StatePaths layout = new StatePaths(root);
            checkFormat(layout, access, disk, random);
            makeFolders(layout, access, disk);
            probe(root, access, random);
            boolean machineWide =
                    !ours && (access.othersMayWrite() || MACHINE_WIDE.stream().anyMatch(root::startsWith));
            return new StateDirectory(layout, access, machineWide ? Scope.MACHINE : Scope.USER, directory, ours);
        } catch (IOException failure) {
            throw FileErrors.of(directory, Effect.NONE, failure);
        }
    }

    private static Path make(Path directory, boolean ours, FileOps disk) throws IOException {
        if (!Files.exists(directory)) {
            Optional<Path> parent = Optional.ofNullable(directory.getParent());
            if (!ours && parent.isPresent() && !Files.isDirectory(parent.get())) {
                throw StoreUrl.refused(directory + " cannot be made because " + parent.get()
                        + " does not exist: create it, or check the spelling");
            }
            try {
                FilePermissions.createPrivate(directory);
            } catch (FileAlreadyExistsException another) {
                // Made by another candidate at the same moment, or a file: seen below.
            }
            if (parent.isPresent() && Files.isReadable(parent.get())) {
                disk.force(parent.get());
            }
        }
        if (!Files.isDirectory(directory)) {
            throw StoreUrl.refused(directory + " is not a directory: name one, as in local:/dir");
        }
        return directory.toRealPath();
    }

    private static void refuseNetwork(Path root, FileOps disk) {
        String type = disk.typeOf(root);
        if (FileSystemTypes.isShared(type)) {
            throw StoreUrl.refused(root + " is on a file system that other machines may share (" + type
                    + "), where one machine cannot tell that the other's leader is alive: name a directory on a disk of "
                    + "this machine, or use a store for many machines");
        }
    }

    private static void refuseWithoutAccess(Path root) throws IOException {
        if (Files.isReadable(root) && Files.isWritable(root) && Files.isExecutable(root)) {
            return;
        }
        if (FileErrors.isReadOnly(root)) {
            throw StoreUrl.refused(FileErrors.readOnly(root));
        }
        throw StoreUrl.refused(
                root + " belongs to " + Files.getOwner(root) + " and may not be written by this user: run as "
                        + Files.getOwner(root) + ", change its rights, or name another directory, as in local:/dir");
    }

    /** The format file comes first, so that a directory with anything in it and without one is somebody else's. */
    private static void checkFormat(StatePaths layout, FilePermissions access, FileOps disk, long random)
            throws IOException {
        Optional<String> format = read(layout.format());
        if (format.isEmpty()) {
            for (String name : FileOps.names(layout.root())) {
                boolean ours =
                        name.startsWith("format") || StatePaths.FOLDERS.contains(name) || TOLERATED.contains(name);
                if (!ours) {
                    throw BackendException.corrupt(layout.root() + " holds files that are not Tenure's, such as '"
                            + name + "': name an empty directory, as in local:/dir. Nothing was changed");
                }
            }
            Path complete = layout.root().resolve("format." + Long.toHexString(random));
            access.createFile(complete, FORMAT.getBytes(StandardCharsets.US_ASCII));
            disk.force(complete);
            Files.move(complete, layout.format(), StandardCopyOption.ATOMIC_MOVE);
        } else if (!format.get().equals(FORMAT)) {
            throw BackendException.corrupt(layout.format() + " does not say '" + RecordFile.MAGIC
                    + "': the directory belongs to another version of Tenure or to another program. Use that version, or"
                    + " name another directory, as in local:/dir. Nothing was changed");
        }
    }

    private static Optional<String> read(Path file) throws IOException {
        try {
            return Optional.of(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }

    private static void makeFolders(StatePaths layout, FilePermissions access, FileOps disk) throws IOException {
        boolean made = false;
        for (String name : StatePaths.FOLDERS) {
            made |= makeFolder(layout.root().resolve(name), access);
        }
        for (String kind : RecordKey.KINDS) {
            made |= makeFolder(layout.records(kind), access);
        }
        if (made) {
            disk.force(layout.root().resolve("records"));
            disk.force(layout.root());
        }
    }

    private static boolean makeFolder(Path folder, FilePermissions access) throws IOException {
        if (Files.isDirectory(folder)) {
            return false;
        }
        try {
            access.createFolder(folder);
            return true;
        } catch (FileAlreadyExistsException another) {
            if (!Files.isDirectory(folder)) {
                throw FileErrors.corrupt(folder, "it should be a directory");
            }
            return true;
        }
    }

    /** Renaming must be what {@link FileRecords} relies on: refused once its source is gone, or a directory is in the way. */
    private static void probe(Path root, FilePermissions access, long random) throws IOException {
        Path first = root.resolve("format.probe." + Long.toHexString(random));
        Path second = root.resolve("format.probed." + Long.toHexString(random));
        Path file = second.resolve("file");
        try {
            access.createFolder(first);
            Files.move(first, second, StandardCopyOption.ATOMIC_MOVE);
            access.createFile(file, new byte[0]);
            access.createFolder(first);
            if (moves(first, second) || moves(root.resolve("format.probe.none"), second.resolve("other"))) {
                throw StoreUrl.refused(
                        root + " is on a file system that does not refuse a rename when it must: name a directory "
                                + "on another one, as in local:/dir");
            }
        } finally {
            FileOps.drop(file);
            FileOps.drop(second);
            FileOps.drop(first);
        }
    }

    private static boolean moves(Path from, Path to) {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    /**
     * File systems that two kernels may have mounted at once. There a boot id says nothing about who is alive, and no
     * notification crosses over, so two machines would have two leaders. What is not named here is taken for a disk of this
     * machine; {@link BootRecovery} has a second line for those that slip through.
     */
    static final class FileSystemTypes {
        private static final Set<String> SHARED = Set.of(
                ("9p acfs afs autofs beegfs ceph cifs coda davfs drvfs fhgfs fuse gfs gfs2 glusterfs gpfs lustre ncp "
                                + "ncpfs nfs nfs3 nfs4 ocfs2 orangefs osxfs panfs prl_fs pvfs2 smb2 smb3 smbfs vboxsf virtiofs vmhgfs webdav")
                        .split(" "));

        private FileSystemTypes() {}

        static boolean isShared(String type) {
            String name = type.toLowerCase(Locale.ROOT);
            // A file system in user space can be anything, mostly a remote one. "fuseblk" is not: it is on a block
            // device.
            return SHARED.contains(name) || name.startsWith("fuse.") || name.startsWith("fakeowner");
        }
    }
}
