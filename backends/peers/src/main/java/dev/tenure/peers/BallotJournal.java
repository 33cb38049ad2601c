// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * What this member must still know after a crash: its ballots, and the era. A thread of its own writes them to the disk; what waits for
 * that is done on the loop, in order. What is written is never older than what waits for it, and it may be newer.
 *
 * <p>When writing fails nothing more is confirmed. A member that cannot keep its vote does not vote any more, and says so.
 */
final class BallotJournal {
    private final long base;
    private final Consumer<Runnable> disk;
    private final Map<ElectionName, Ballot> ballots;
    private int era;
    private volatile int eraToWrite;
    private volatile boolean closed;
    private Optional<String> failure = Optional.empty();

    /** @param disk is given, on the loop, what is to be done there once all that is known now can no longer be lost */
    BallotJournal(JournalFile.Content before, Consumer<Runnable> disk) {
        this.base = before.base();
        this.era = before.era();
        this.eraToWrite = before.era();
        this.ballots = new ConcurrentHashMap<>(before.ballots());
        this.disk = disk;
    }

    static BallotJournal open(JournalFile file, Host host) {
        BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
        BallotJournal journal = new BallotJournal(file.content(), queue::add);
        host.runDuty("tenure-peers-disk", () -> journal.write(queue, file, host));
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

    /** It can no longer be lost. */
    int era() {
        return era;
    }

    /** Why nothing more is written. */
    Optional<String> failure() {
        return failure;
    }

    /** @param then is done on the loop once the ballot can no longer be lost; never, if it could not be written */
    void save(ElectionName election, Ballot ballot, Runnable then) {
        if (failure.isEmpty()) {
            ballots.put(election, ballot);
            disk.accept(then);
        }
    }

    /** Never lowers it. */
    void raiseEra(int atLeast, Runnable then) {
        eraToWrite = Math.max(eraToWrite, atLeast);
        disk.accept(() -> {
            era = Math.max(era, atLeast);
            then.run();
        });
    }

    /** What is not on the disk yet is never confirmed. */
    void close() {
        closed = true;
        disk.accept(() -> {});
    }

    private void write(BlockingQueue<Runnable> queue, JournalFile file, Host host) {
        try {
            while (!closed) {
                List<Runnable> batch = new ArrayList<>(List.of(queue.take()));
                queue.drainTo(batch);
                if (!closed) {
                    file.write(new JournalFile.Content(base, eraToWrite, ballots()));
                    batch.forEach(host::post);
                }
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (IOException broken) {
            String why = "the votes cannot be written: " + broken + ". This member does not vote any more";
            System.getLogger("dev.tenure.peers").log(Level.ERROR, why, broken);
            host.post(() -> failure = Optional.of(why));
        }
        file.close();
    }
}
