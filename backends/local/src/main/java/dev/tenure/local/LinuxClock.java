package dev.tenure.local;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
            String bootId =
                    Files.readString(proc.resolve("sys/kernel/random/boot_id")).strip();
            if (!BOOT_ID.matcher(bootId).matches()) {
                return MachineClock.none();
            }
            Optional<Path> uptime = uptimeType.equals("proc") ? Optional.of(proc.resolve("uptime")) : Optional.empty();
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
    public Optional<Stamp> now() throws IOException {
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
            return Optional.of(new Stamp(bootId.get(), timeNamespace, millis));
        }
    }
}
