package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.spi.Host;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What this member must still know after a crash: its ballots, and the era. What waits for the disk is done on the loop, in order.
 *
 * <p>A member that cannot keep its vote does not vote any more, and says so.
 */
final class Journal {
    private final long base;
    private final Pen pen;
    private final Map<ElectionName, Ballot> ballots = new HashMap<>();
    private int era;

    /** What writes. Called on the loop. */
    interface Pen {
        /** Does that on the loop once this can no longer be lost; never, if it could not be written. */
        void write(JournalFile.Line line, Runnable then);

        /** Why nothing more is written. */
        Optional<String> failure();

        void close();
    }

    /** @param lines what was written before */
    Journal(long base, List<JournalFile.Line> lines, Pen pen) {
        this.base = base;
        this.pen = pen;
        for (JournalFile.Line line : lines) {
            line.election().ifPresent(election -> ballots.put(election, line.ballot()));
            era = Math.max(era, line.era());
        }
    }

    static Journal open(JournalFile file, Host host) {
        Scribe scribe = new Scribe(file, host);
        Journal journal = new Journal(file.base(), file.lines(), scribe);
        scribe.begin();
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

    Optional<String> failure() {
        return pen.failure();
    }

    void save(ElectionName election, Ballot ballot, Runnable then) {
        if (failure().isPresent()) {
            return;
        }
        ballots.put(election, ballot);
        pen.write(JournalFile.Line.of(election, ballot), then);
    }

    /** Never lowers it. */
    void raiseEra(int atLeast, Runnable then) {
        era = Math.max(era, atLeast);
        pen.write(JournalFile.Line.of(era), then);
    }

    void close() {
        pen.close();
    }
}
