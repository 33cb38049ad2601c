// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The one clock that all processes of a machine share, where there is one. With it a challenger need not watch a silent
 * session for a whole TTL. Without it the store does not judge expiry, and the observers in core do.
 */
interface MachineClock {
    /** How far {@link #now()} may lie behind the true time. */
    long RESOLUTION_MILLIS = 10;

    /** Rounded down to the resolution. Empty if there is no such clock here. */
    Optional<ClockReading> now() throws IOException;

    /** Empty if nothing here tells one boot from the next. May be known where {@link #now()} is not. */
    Optional<String> bootId();

    /** For machines without {@code /proc}. */
    static MachineClock none() {
        return new LinuxClock(Optional.empty(), Optional.empty(), "0");
    }

    /** Boot id and uptime as the kernel tells them. */
    record LinuxClock(Optional<Path> uptime, Optional<String> bootId, String timeNamespace) implements MachineClock {
        private static final Pattern BOOT_ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
        private static final Pattern UPTIME = Pattern.compile("([0-9]{1,12})\\.([0-9]{2}) .*", Pattern.DOTALL);
        private static final int UPTIME_BYTES_MAX = 64;

        static MachineClock ofThisMachine() {
            Path proc = Path.of("/proc");
            try {
                return at(proc, Files.getFileStore(proc.resolve("uptime")).type());
            } catch (IOException notLinux) {
                return MachineClock.none();
            }
        }

        /**
         * @param uptimeType the file system that {@code uptime} is on. LXCFS puts a file of its own over it, which counts from the
         *     start of the container: two containers would then read different times under one boot id, and one would bury
         *     the other's living sessions. So only the kernel's own is believed.
         */
        static MachineClock at(Path proc, String uptimeType) {
            try {
                String bootId = Files.readString(proc.resolve("sys/kernel/random/boot_id"))
                        .strip();
                if (!BOOT_ID.matcher(bootId).matches()) {
                    return MachineClock.none();
                }
                Optional<Path> uptime =
                        uptimeType.equals("proc") ? Optional.of(proc.resolve("uptime")) : Optional.empty();
                LinuxClock clock = new LinuxClock(uptime, Optional.of(bootId), timeNamespace(proc));
                clock.now();
                return clock;
            } catch (IOException notLinux) {
                return MachineClock.none();
            }
        }

        private static String timeNamespace(Path proc) throws IOException {
            try {
                return Files.readSymbolicLink(proc.resolve("self/ns/time"))
                        .toString()
                        .replaceAll("[^0-9]", "");
            } catch (NoSuchFileException kernelWithoutThem) {
                return "0";
            }
        }

        @Override
        public Optional<ClockReading> now() throws IOException {
            if (uptime.isEmpty() || bootId.isEmpty()) {
                return Optional.empty();
            }
            // A plain stream, not a channel: an interrupt of this thread must not turn into a failed read.
            try (InputStream in = new FileInputStream(uptime.get().toFile())) {
                String text = new String(in.readNBytes(UPTIME_BYTES_MAX), StandardCharsets.US_ASCII);
                Matcher seconds = UPTIME.matcher(text);
                if (!seconds.matches()) {
                    throw new IOException(uptime.get() + " does not tell the uptime: " + text.strip());
                }
                long millis = Long.parseLong(seconds.group(1)) * 1000 + Long.parseLong(seconds.group(2)) * 10;
                return Optional.of(new ClockReading(bootId.get(), timeNamespace, millis));
            }
        }
    }

    /**
     * A moment on the clock of this machine, and how much of its time to live a record has left. The rule that matters: never too
     * little. A session that is buried early means two leaders; one that is buried late costs a moment without any.
     *
     * <p>So a write is stamped with the clock's reading plus its resolution, which lies at or after the true time of the
     * write, which in turn lies after the moment from which the writer counts its own deadline. A reader takes the clock
     * before it reads the record, rounded down. What lies between the two is at most what has really passed.
     *
     * @param bootId another one means that the machine was started anew since, and that every process of then is dead
     * @param timeNamespace a container may have its own; two of them count from different origins
     * @param uptimeMillis since the boot, also while the machine was suspended
     */
    record ClockReading(String bootId, String timeNamespace, long uptimeMillis) {
        // A stamp can lie ahead of a reading by the resolution of the clock; further ahead it cannot be true.
        private static final long AHEAD_MILLIS_MAX = 1000;

        /** Of a write that begins at this reading of the clock. */
        ClockReading ofWrite() {
            return new ClockReading(bootId, timeNamespace, uptimeMillis + MachineClock.RESOLUTION_MILLIS);
        }

        /** Empty if this clock cannot tell: then observers must. */
        static Optional<Duration> lifeLeft(RecordFile record, Optional<ClockReading> now) {
            if (record.timeToLive().isEmpty() || record.written().isEmpty() || now.isEmpty()) {
                return Optional.empty();
            }
            ClockReading written = record.written().get();
            if (!written.bootId().equals(now.get().bootId())) {
                return Optional.of(Duration.ZERO);
            }
            long elapsedMillis = now.get().uptimeMillis() - written.uptimeMillis();
            if (!written.timeNamespace().equals(now.get().timeNamespace()) || elapsedMillis < -AHEAD_MILLIS_MAX) {
                return Optional.empty();
            }
            Duration left = record.timeToLive().get().minusMillis(Math.max(0, elapsedMillis));
            return Optional.of(left.isNegative() ? Duration.ZERO : left);
        }
    }
}
