// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.internal.host.SystemHost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is promised to others is on the disk first. */
class BallotJournalTest {
    private static final int ELECTIONS = 200;

    private final SystemHost host = SystemHost.start("journal-test");

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        host.shutdown();
    }

    private boolean isWritten(ElectionName election) {
        try {
            return Files.readString(folder.resolve("votes")).contains("7 2 " + election.value() + "\n");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void a_vote_is_written_before_anybody_hears_of_it() {
        BallotJournal journal = BallotJournal.open(JournalFile.open(folder, "a of a,b,c", 1), host);
        Queue<Boolean> written = new ConcurrentLinkedQueue<>();

        host.post(() -> {
            for (int i = 0; i < ELECTIONS; i++) {
                ElectionName election = ElectionName.of("e" + i);
                journal.save(election, new Ballot(7, Optional.of(2)), () -> written.add(isWritten(election)));
            }
        });

        await().atMost(Trio.PATIENCE).until(() -> written.size() == ELECTIONS);
        assertThat(written).doesNotContain(false);
        journal.close();
    }

    @Test
    void a_vote_that_cannot_be_written_is_never_told_and_neither_is_any_after_it() {
        JournalFile file = JournalFile.open(folder, "a of a,b,c", 1);
        BallotJournal journal = BallotJournal.open(file, host);
        Queue<String> told = new ConcurrentLinkedQueue<>();
        Queue<Boolean> failed = new ConcurrentLinkedQueue<>();
        file.close();

        host.post(() -> journal.save(ElectionName.of("e"), new Ballot(7, Optional.of(2)), () -> told.add("first")));
        await().atMost(Trio.PATIENCE).until(() -> {
            host.post(() -> failed.add(journal.failure().isPresent()));
            return failed.contains(true);
        });
        host.post(() -> journal.save(ElectionName.of("e"), new Ballot(8, Optional.of(2)), () -> told.add("second")));
        host.post(() -> told.add("end"));

        await().atMost(Trio.PATIENCE).until(() -> told.contains("end"));
        assertThat(told).containsExactly("end");
    }
}
