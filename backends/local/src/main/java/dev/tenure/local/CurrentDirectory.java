// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.local.LocalStore.MachineEnvironment;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The state directory as it stands now. One that somebody has removed or replaced is opened again, with all checks, by the
 * first call that needs it: for its sessions and claims that is the same as if they had been deleted one by one.
 *
 * <p>It is not used for a second before that. Somebody may just be removing it, file by file, and would take away half of
 * what is written meanwhile.
 */
final class CurrentDirectory {
    private static final Logger LOG = System.getLogger("dev.tenure.local");
    private static final Duration SETTLES_WITHIN = Duration.ofSeconds(1);

    /**
     * A state directory that was checked, and what is known of it. All of that is void when somebody has removed it or put
     * another one in its place.
     *
     * @param floor the sequence above which tokens begin
     * @param identity what tells this directory from another one with the same path
     */
    record OpenDirectory(
            StateDirectory directory,
            FileRecords records,
            TokenCeiling ceiling,
            BootRecovery recovery,
            long floor,
            String identity) {

        /** @param floorMin of the directory that stood at this path before, or 0 */
        static OpenDirectory of(StateDirectory directory, MachineEnvironment machine, long floorMin)
                throws IOException {
            StatePaths layout = directory.layout();
            FileRecords records = new FileRecords(layout, directory.access(), machine.disk());
            TokenCeiling ceiling = new TokenCeiling(layout, directory.access(), machine.disk());
            BootRecovery recovery = new BootRecovery(layout, directory.access(), records, ceiling);
            long floor = Math.max(floorMin, recovery.floor(machine.clock().bootId()));
            return new OpenDirectory(directory, records, ceiling, recovery, floor, identity(directory));
        }

        /** After it was removed or replaced: makes or finds it once more, with the same checks. */
        OpenDirectory again(MachineEnvironment machine, long random) throws IOException {
            StateDirectory opened = StateDirectory.open(directory.asked(), directory.ours(), machine.disk(), random);
            return of(opened, machine, floor);
        }

        StatePaths layout() {
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
            Path format = new StatePaths(directory.asked()).format();
            BasicFileAttributes file =
                    Files.readAttributes(format, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return file.fileKey() + " " + file.lastModifiedTime();
        }
    }

    private final Host host;
    private final MachineEnvironment machine;
    private final Consumer<OpenDirectory> replaced;
    private volatile OpenDirectory known;
    /** Something that must be there was missing: the directory may look whole and not be. */
    private volatile boolean doubted;

    /** Whether it was where it should be when it was used last. */
    private volatile boolean found = true;

    private long settledNanos;

    CurrentDirectory(OpenDirectory first, Host host, MachineEnvironment machine, Consumer<OpenDirectory> replaced) {
        this.known = first;
        this.host = host;
        this.machine = machine;
        this.replaced = replaced;
    }

    /** As it was found last. */
    OpenDirectory known() {
        return known;
    }

    /** @throws BackendException if what stands there now cannot be used, or not yet */
    OpenDirectory get() throws IOException {
        OpenDirectory last = known;
        if (doubted || !last.isStillThere()) {
            return openAgain(last);
        }
        found = true;
        return last;
    }

    private synchronized OpenDirectory openAgain(OpenDirectory last) throws IOException {
        if (!known.equals(last)) {
            return known; // another call was first
        }
        if (found) {
            found = false;
            settledNanos = host.nanos() + SETTLES_WITHIN.toNanos();
        }
        if (host.nanos() - settledNanos < 0) {
            throw BackendException.unreachable(
                    last.layout().root() + " was removed or replaced while in use: it is opened again in a second");
        }
        OpenDirectory again = last.again(machine, host.random());
        LOG.log(
                Level.WARNING,
                "{0} was removed or replaced while in use: it was opened again, and what was held in it is lost",
                again.layout().root());
        known = again;
        doubted = false;
        found = true;
        replaced.accept(again);
        return again;
    }

    BackendException failed(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            doubted = true;
        }
        return FileErrors.of(known.layout().root(), Effect.NONE, failure);
    }
}
