package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * What this member must still know after a crash: its ballots, and the era. A thread of its own writes; whatever has gathered while it was
 * writing goes to the disk together, with one {@code fsync}. What waits for the disk is done on the loop, in order.
 *
 * <p>When writing fails nothing more is confirmed: a member that cannot keep its vote does not vote any more, and says so.
 */
final class Journal {
    private static final Logger LOG = System.getLogger("dev.tenure.peers");

    private final JournalFile file;
    private final Host host;
    private final Map<ElectionName, Ballot> ballots = new HashMap<>();
    private final LinkedBlockingQueue<Entry> queue = new LinkedBlockingQueue<>();
    private int era;
    private Optional<String> failure = Optional.empty();

    private record Entry(Optional<JournalFile.Line> line, Runnable then) {}

    private Journal(JournalFile file, Host host) {
        this.file = file;
        this.host = host;
    }

    static Journal open(JournalFile file, Host host) {
        Journal journal = new Journal(file, host);
        for (JournalFile.Line line : file.lines()) {
            line.election().ifPresent(election -> journal.ballots.put(election, line.ballot()));
            journal.era = Math.max(journal.era, line.era());
        }
        host.perform("tenure-peers-disk", journal::write);
        return journal;
    }

    /** The lowest term in which an election begins that is not in here. */
    long base() {
        return file.base();
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

    Optional<String> failure() {
        return failure;
    }

    void save(ElectionName election, Ballot ballot, Runnable then) {
        if (failure.isPresent()) {
            return;
        }
        ballots.put(election, ballot);
        queue.add(new Entry(Optional.of(JournalFile.Line.of(election, ballot)), then));
    }

    /** Never lowers it. */
    void raiseEra(int atLeast, Runnable then) {
        era = Math.max(era, atLeast);
        queue.add(new Entry(Optional.of(JournalFile.Line.of(era)), then));
    }

    void close() {
        queue.add(new Entry(Optional.empty(), () -> {}));
    }

    private void write() {
        boolean open = true;
        while (open) {
            List<Entry> batch = new ArrayList<>();
            try {
                batch.add(queue.take());
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
                break;
            }
            queue.drainTo(batch);
            open = batch.stream().allMatch(entry -> entry.line().isPresent());
            List<JournalFile.Line> lines =
                    batch.stream().flatMap(entry -> entry.line().stream()).toList();
            try {
                file.append(lines);
            } catch (IOException | BackendException broken) {
                String why = "the data directory " + file.directory() + " cannot be written: " + broken.getMessage();
                LOG.log(Level.ERROR, why + ". This member does not vote any more", broken);
                host.post(() -> failure = Optional.of(why));
                break;
            }
            batch.forEach(entry -> host.post(entry.then()));
        }
        file.close();
    }
}
