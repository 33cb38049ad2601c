package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalFileTest {
    private static final JournalFile.Line ONE =
            JournalFile.Line.of(ElectionName.of(" a b"), new Ballot(7, Optional.of(2)));
    private static final JournalFile.Line TWO =
            JournalFile.Line.of(ElectionName.of("\u6771"), new Ballot(8, Optional.empty()));

    @TempDir
    private Path folder;

    private JournalFile open() {
        return JournalFile.open(folder, "member a of a,b,c (raft)", 100);
    }

    private List<JournalFile.Line> reopened() {
        JournalFile file = open();
        file.close();
        return file.lines();
    }

    @Test
    void what_was_written_is_there_again_and_the_newest_counts() throws IOException {
        JournalFile file = open();
        file.append(List.of(ONE, TWO, JournalFile.Line.of(3)));
        JournalFile.Line newer = JournalFile.Line.of(ElectionName.of(" a b"), new Ballot(9, Optional.of(1)));
        file.append(List.of(newer));
        file.close();

        assertThat(reopened()).containsExactlyInAnyOrder(newer, TWO, JournalFile.Line.of(3));
    }

    @Test
    void the_base_of_a_directory_never_changes() {
        open().close();

        JournalFile again = JournalFile.open(folder, "member a of a,b,c (raft)", 999);
        again.close();

        assertThat(again.base()).isEqualTo(100);
    }

    @Test
    void a_line_that_was_being_written_when_the_process_died_is_cut_off() throws IOException {
        JournalFile file = open();
        file.append(List.of(ONE));
        file.close();
        Path votes = folder.resolve("votes");
        byte[] whole = Files.readAllBytes(votes);

        Files.write(
                votes, "0badc0de v x 12".getBytes(java.nio.charset.StandardCharsets.UTF_8), StandardOpenOption.APPEND);

        assertThat(reopened()).containsExactly(ONE);
        assertThat(Files.readAllBytes(votes)).isEqualTo(whole);
    }

    @Test
    void a_line_that_ends_within_a_character_is_cut_off_too() throws IOException {
        JournalFile file = open();
        file.append(List.of(ONE, TWO));
        file.close();
        Path votes = folder.resolve("votes");
        byte[] whole = Files.readAllBytes(votes);

        Files.write(votes, java.util.Arrays.copyOf(whole, whole.length - 2));

        assertThat(reopened()).containsExactly(ONE);
    }

    @Test
    void a_damaged_line_in_the_middle_is_refused_and_nothing_is_changed() throws IOException {
        JournalFile file = open();
        file.append(List.of(ONE, TWO));
        file.close();
        Path votes = folder.resolve("votes");
        String damaged = Files.readString(votes).replace(" 7 2 ", " 7 1 ");
        Files.writeString(votes, damaged);

        assertThatThrownBy(this::open).hasMessageContaining("line 2 is damaged");
        assertThat(Files.readString(votes)).isEqualTo(damaged);
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
        assertThat(reopened()).isEmpty();
    }

    @Test
    void a_long_life_does_not_make_a_long_file() throws IOException {
        JournalFile file = open();
        for (int round = 0; round < 60; round++) {
            List<JournalFile.Line> many = java.util.stream.IntStream.range(0, 1000)
                    .mapToObj(i -> JournalFile.Line.of(ElectionName.of("e" + i % 100), new Ballot(i, Optional.empty())))
                    .toList();
            file.append(many);
        }
        file.close();

        assertThat(Files.size(folder.resolve("votes"))).isLessThan(1_200_000);
        assertThat(reopened()).hasSize(100);
    }
}
