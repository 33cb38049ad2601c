package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * A file of lines of text, each with a checksum before it; the first says whose it is. A line at the end that is not whole was being
 * written when the process died: nobody was told of it, and it is cut off. Anything else that does not fit is refused.
 */
final class JournalFile {
    private static final String FORMAT = "tenure-peers-1";
    private static final String NAME = "votes";
    private static final long BYTES_BEFORE_REWRITE = 1 << 20;
    private static final int SPARSE = 4;

    private final Path directory;
    private final FileChannel lock;
    private final Map<Optional<ElectionName>, Line> newest = new LinkedHashMap<>();
    private final long base;
    private final String head;
    private FileChannel channel;
    private long liveBytes;

    /** @param election none for a line that tells the era */
    record Line(Optional<ElectionName> election, Ballot ballot, int era) {
        static Line of(ElectionName election, Ballot ballot) {
            return new Line(Optional.of(election), ballot, 0);
        }

        static Line of(int era) {
            return new Line(Optional.empty(), new Ballot(0, Optional.empty()), era);
        }

        @Override
        public String toString() {
            return election.map(name -> "v " + name.encoded() + " " + ballot.term() + " "
                            + ballot.vote().orElse(0) + " " + name.value())
                    .orElse("e " + era);
        }

        static Line parse(String text) {
            String[] parts = text.split(" ", 2);
            if (parts[0].equals("e")) {
                return of(Integer.parseInt(parts[1]));
            }
            String[] ballot = parts[1].split(" ", 4);
            int vote = Integer.parseInt(ballot[2]);
            return of(
                    ElectionName.of(ballot[3]),
                    new Ballot(Long.parseLong(ballot[1]), vote == 0 ? Optional.empty() : Optional.of(vote)));
        }
    }

    /**
     * @param owner who may use it: the group, and the member of it
     * @param baseIfNew the base of a directory that is not there yet
     */
    static JournalFile open(Path directory, String owner, long baseIfNew) {
        try {
            Files.createDirectories(directory);
            FileChannel lock = lock(directory);
            try {
                return new JournalFile(directory, lock, owner, baseIfNew);
            } catch (IOException | RuntimeException unusable) {
                lock.close();
                throw unusable;
            }
        } catch (IOException failure) {
            throw Trouble.refused(
                    "the data directory " + directory + " cannot be used: " + failure.getMessage()
                            + ". Name another one with data=DIR",
                    failure);
        }
    }

    private JournalFile(Path directory, FileChannel lock, String owner, long baseIfNew) throws IOException {
        this.directory = directory;
        this.lock = lock;
        Path file = directory.resolve(NAME);
        List<String> lines = Files.exists(file) ? read(file) : List.of();
        if (lines.isEmpty()) {
            base = baseIfNew;
            head = FORMAT + " " + base + " " + owner;
        } else {
            head = lines.get(0);
            String[] parts = head.split(" ", 3);
            if (parts.length < 3 || !parts[0].equals(FORMAT)) {
                throw corrupt(file, "it is not a journal of this format");
            }
            if (!parts[2].equals(owner)) {
                throw Trouble.refused(
                        directory + " belongs to " + parts[2] + ", and not to " + owner
                                + ". The list of members is fixed: a group with another list needs new data directories everywhere");
            }
            base = Long.parseLong(parts[1]);
            lines.stream().skip(1).map(Line::parse).forEach(line -> newest.put(line.election(), line));
        }
        channel = rewritten();
    }

    private static FileChannel lock(Path directory) throws IOException {
        FileChannel channel =
                FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (OverlappingFileLockException sameProcess) {
            // told below, as that of another process
        }
        channel.close();
        throw Trouble.refused("another process uses the data directory " + directory
                + ": is this member running already? Two processes cannot be the same member");
    }

    long base() {
        return base;
    }

    Path directory() {
        return directory;
    }

    List<Line> lines() {
        return List.copyOf(newest.values());
    }

    void append(Collection<Line> lines) throws IOException {
        if (lines.isEmpty()) {
            return;
        }
        StringBuilder text = new StringBuilder();
        for (Line line : lines) {
            newest.put(line.election(), line);
            text.append(checked(line.toString()));
        }
        write(channel, text);
        channel.force(false);
        if (channel.size() > BYTES_BEFORE_REWRITE && channel.size() > SPARSE * liveBytes) {
            channel.close();
            channel = rewritten();
        }
    }

    void close() {
        PeerConnections.drop(channel);
        PeerConnections.drop(lock);
    }

    /** Writes what counts into a new file, and puts it into the place of the old one. */
    private FileChannel rewritten() throws IOException {
        Path fresh = directory.resolve(NAME + ".new");
        StringBuilder text = new StringBuilder(checked(head));
        newest.values().forEach(line -> text.append(checked(line.toString())));
        FileChannel next = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        write(next, text);
        next.force(true);
        liveBytes = next.size();
        Files.move(fresh, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
            folder.force(true);
        }
        return next;
    }

    private static void write(FileChannel to, CharSequence text) throws IOException {
        Channels.newOutputStream(to).write(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> read(Path file) throws IOException {
        // A character at the end need not be whole either.
        String[] parts = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\n", -1);
        List<String> lines = new ArrayList<>();
        for (String line : List.of(parts).subList(0, parts.length - 1)) {
            boolean whole = line.length() > 9 && checked(line.substring(9)).equals(line + "\n");
            if (!whole) {
                boolean last = lines.size() == parts.length - 2 && parts[parts.length - 1].isEmpty();
                if (!last) {
                    throw corrupt(file, "line " + (lines.size() + 1) + " is damaged");
                }
                break;
            }
            lines.add(line.substring(9));
        }
        return lines;
    }

    private static String checked(String line) {
        CRC32 crc = new CRC32();
        crc.update(line.getBytes(StandardCharsets.UTF_8));
        return String.format(Locale.ROOT, "%08x %s\n", crc.getValue(), line);
    }

    private static BackendException corrupt(Path file, String why) {
        return new BackendException(
                Effect.NONE,
                Kind.CORRUPT,
                file + " cannot be trusted: " + why + ". If it is lost, remove the whole directory: this member then"
                        + " begins above every term it can have voted in, by the clock");
    }
}
