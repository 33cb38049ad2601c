// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalFileTest {
    private static final JournalFile.Content FIRST = new JournalFile.Content(
            100,
            3,
            Map.of(
                    ElectionName.of(" a b"),
                    new Ballot(7, Optional.of(2)),
                    ElectionName.of("\u6771"),
                    new Ballot(8, Optional.empty())));
    private static final JournalFile.Content SECOND =
            new JournalFile.Content(100, 4, Map.of(ElectionName.of(" a b"), new Ballot(9, Optional.of(1))));

    @TempDir
    private Path folder;

    private JournalFile open() {
        return JournalFile.open(folder, "member a of a,b,c (raft)", 100);
    }

    private JournalFile.Content reopened() {
        JournalFile file = open();
        file.close();
        return file.content();
    }

    private Path written(JournalFile.Content content) throws IOException {
        JournalFile file = open();
        file.write(content);
        file.close();
        return folder.resolve("votes");
    }

    @Test
    void what_was_written_is_there_again_and_the_newest_counts() throws IOException {
        written(FIRST);
        assertThat(reopened()).isEqualTo(FIRST);

        written(SECOND);
        assertThat(reopened()).isEqualTo(SECOND);
    }

    @Test
    void the_base_of_a_directory_never_changes() {
        open().close();

        JournalFile again = JournalFile.open(folder, "member a of a,b,c (raft)", 999);
        again.close();

        assertThat(again.content().base()).isEqualTo(100);
    }

    @Test
    void what_was_being_written_when_the_process_died_does_not_count() throws IOException {
        Path votes = written(FIRST);

        Files.write(folder.resolve("votes.new"), Arrays.copyOf(Files.readAllBytes(votes), 20));

        assertThat(reopened()).isEqualTo(FIRST);
    }

    @Test
    void a_file_that_was_changed_is_refused_and_nothing_is_changed() throws IOException {
        Path votes = written(FIRST);
        String damaged = Files.readString(votes).replace("7 2 ", "7 1 ");
        Files.writeString(votes, damaged);

        assertThatThrownBy(this::open).hasMessageContaining("it is damaged");
        assertThat(Files.readString(votes)).isEqualTo(damaged);
    }

    @Test
    void a_file_that_is_cut_anywhere_is_refused() throws IOException {
        Path votes = written(FIRST);
        byte[] whole = Files.readAllBytes(votes);

        for (int length = 0; length < whole.length; length++) {
            Files.write(votes, Arrays.copyOf(whole, length));
            assertThatThrownBy(this::open).hasMessageContaining("it is damaged");
        }
    }

    @Test
    void two_processes_cannot_use_one_directory() {
        JournalFile first = open();

        assertThatThrownBy(this::open).hasMessageContaining("is this member running already?");

        first.close();
    }

    @Test
    void another_list_of_members_needs_another_directory() {
        open().close();

        assertThatThrownBy(() -> JournalFile.open(folder, "member a of a,b,c,d,e (raft)", 100))
                .hasMessageContaining("belongs to member a of a,b,c (raft)");
        assertThat(reopened().ballots()).isEmpty();
    }
}
