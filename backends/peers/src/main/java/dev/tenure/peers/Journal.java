package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.peers.JournalFile.Line;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * What this member must still know after a crash: its ballots, and the era. A thread of its own writes to the disk: whatever has gathered
 * while it was writing goes there together, with one {@code fsync}. What waits for the disk is done on the loop, in order.
 *
 * <p>When writing fails nothing more is confirmed. A member that cannot keep its vote does not vote any more, and says so.
 */
final class Journal {
    private final long base;
    private final Consumer<Entry> disk;
    private final Map<ElectionName, Ballot> ballots = new HashMap<>();
    private int era;
    private Optional<String> failure = Optional.empty();

    /**
     * @param line none at the end
     * @param then is done on the loop once the line can no longer be lost; never, if it could not be written
     */
    record Entry(Optional<Line> line, Runnable then) {}

    /**
     * @param lines what was written before
     * @param disk takes, on the loop, what is to be written
     */
    Journal(long base, List<Line> lines, Consumer<Entry> disk) {
        this.base = base;
        this.disk = disk;
        for (Line line : lines) {
            line.election().ifPresent(election -> ballots.put(election, line.ballot()));
            era = Math.max(era, line.era());
        }
    }

    static Journal open(JournalFile file, Host host) {
        BlockingQueue<Entry> queue = new LinkedBlockingQueue<>();
        Journal journal = new Journal(file.base(), file.lines(), queue::add);
        host.perform("tenure-peers-disk", () -> journal.write(queue, file, host));
        return journal;
    }

    /** The lowest term in which an election begins that is not in here. */
    long base() {
        return base;
    }

    Map<ElectionName, Ballot> ballots() {
        return Map.copyOf(ballots);
    }

    Optional<Ballot> ballot(ElectionName election) {
        return Optional.ofNullable(ballots.get(election));
    }

    int era() {
        return era;
    }

    /** Why nothing more is written. */
    Optional<String> failure() {
        return failure;
    }

    void save(ElectionName election, Ballot ballot, Runnable then) {
        if (failure.isEmpty()) {
            ballots.put(election, ballot);
            disk.accept(new Entry(Optional.of(Line.of(election, ballot)), then));
        }
    }

    /** Never lowers it. */
    void raiseEra(int atLeast, Runnable then) {
        era = Math.max(era, atLeast);
        disk.accept(new Entry(Optional.of(Line.of(era)), then));
    }

    void close() {
        disk.accept(new Entry(Optional.empty(), () -> {}));
    }

    private void write(BlockingQueue<Entry> queue, JournalFile file, Host host) {
        boolean open = true;
        while (open) {
            List<Entry> batch = new ArrayList<>();
            try {
                batch.add(queue.take());
                queue.drainTo(batch);
                open = batch.stream().allMatch(entry -> entry.line().isPresent());
                file.append(
                        batch.stream().flatMap(entry -> entry.line().stream()).toList());
                batch.forEach(entry -> host.post(entry.then()));
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
                open = false;
            } catch (IOException | BackendException broken) {
                String why = "the data directory " + file.directory() + " cannot be written: " + broken.getMessage();
                System.getLogger("dev.tenure.peers")
                        .log(Level.ERROR, why + ". This member does not vote any more", broken);
                host.post(() -> failure = Optional.of(why));
                open = false;
            }
        }
        file.close();
    }
}
