// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.support.StoreUrl;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * A file of lines of text: a checksum of all that follows, whose file it is, the base and the era, then a line for each election. It is
 * written as a whole, under another name, and put into its place when it is on the disk: a crash leaves the old one or the new one.
 * Anything that does not fit is refused.
 */
final class JournalFile {
    private static final String NAME = "votes";

    private final Path directory;
    private final String owner;
    private final FileChannel lock;
    private final Content content;

    /** @param base the lowest term in which an election begins that is not among these */
    record Content(long base, int era, Map<ElectionName, Ballot> ballots) {}

    /**
     * @param owner who may use it: the group, and the member of it
     * @param baseIfNew the base of a directory that is not there yet
     */
    static JournalFile open(Path directory, String owner, long baseIfNew) {
        try {
            Files.createDirectories(directory);
            return new JournalFile(directory, owner, baseIfNew);
        } catch (IOException failure) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "the data directory " + directory + " cannot be used: " + failure.getMessage()
                            + ". Name another one with data=DIR",
                    failure);
        }
    }

    private JournalFile(Path directory, String owner, long baseIfNew) throws IOException {
        this.directory = directory;
        this.owner = owner;
        this.lock = lock(directory);
        try {
            boolean fresh = !Files.exists(directory.resolve(NAME));
            this.content = fresh ? new Content(baseIfNew, 0, Map.of()) : read();
            write(content);
        } catch (IOException | RuntimeException unusable) {
            lock.close();
            throw unusable;
        }
    }

    private static FileChannel lock(Path directory) throws IOException {
        FileChannel channel =
                FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException sameProcess) {
            // told below, as that of another process
        }
        channel.close();
        throw StoreUrl.refused("another process uses the data directory " + directory
                + ": is this member running already? Two processes cannot be the same member");
    }

    /** As it was found. */
    Content content() {
        return content;
    }

    private Content read() throws IOException {
        String text = new String(Files.readAllBytes(directory.resolve(NAME)), StandardCharsets.UTF_8);
        List<String> lines = text.lines().toList();
        if (lines.size() < 3 || !text.equals(checked(text.substring(text.indexOf('\n') + 1)))) {
            throw BackendException.corrupt(directory.resolve(NAME)
                    + " cannot be trusted: it is damaged, or of another release. If it is lost, remove the whole directory:"
                    + " this member then begins above every term it can have voted in, by the clock");
        }
        if (!lines.get(1).equals(owner)) {
            throw StoreUrl.refused(
                    directory + " belongs to " + lines.get(1) + ", and not to " + owner
                            + ". The list of members is fixed: a group with another list needs new data directories everywhere");
        }
        String[] times = lines.get(2).split(" ", 2);
        Map<ElectionName, Ballot> ballots = new HashMap<>();
        for (String line : lines.subList(3, lines.size())) {
            String[] parts = line.split(" ", 3);
            Optional<Integer> vote = Optional.of(Integer.valueOf(parts[1])).filter(member -> member > 0);
            ballots.put(ElectionName.of(parts[2]), new Ballot(Long.parseLong(parts[0]), vote));
        }
        return new Content(Long.parseLong(times[0]), Integer.parseInt(times[1]), ballots);
    }

    void write(Content next) throws IOException {
        if (!lock.isOpen()) {
            throw new ClosedChannelException();
        }
        StringBuilder text = new StringBuilder(owner + "\n" + next.base() + " " + next.era() + "\n");
        next.ballots().forEach((election, ballot) -> {
            String line = ballot.term() + " " + ballot.vote().orElse(0) + " " + election.value();
            text.append(line).append('\n');
        });
        Path fresh = directory.resolve(NAME + ".new");
        try (FileChannel file = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(checked(text.toString()));
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            file.force(true);
        }
        Files.move(fresh, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    void close() {
        try {
            lock.close();
        } catch (IOException gone) {
            System.getLogger("dev.tenure.peers").log(Level.DEBUG, "closing the lock", gone);
        }
    }

    private static String checked(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(crc.getValue()) + "\n" + text;
    }
}
