// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RawCommandLineTest {

    @Test
    void bytes_that_the_jvm_could_not_decode_are_taken_from_its_own_command_line() {
        List<byte[]> own = bytes("java", "Main", "--", "ls", "café");

        List<byte[]> found = RawCommandLine.bytesOf(List.of("ls", "caf?"), own);

        assertThat(found).containsExactly("ls".getBytes(UTF_8), "café".getBytes(ISO_8859_1));
    }

    @Test
    void another_command_than_the_one_on_the_command_line_is_utf_8() {
        List<byte[]> own = bytes("java", "Main", "--", "rm", "café");

        List<byte[]> found = RawCommandLine.bytesOf(List.of("ls", "café"), own);

        assertThat(found).containsExactly("ls".getBytes(UTF_8), "café".getBytes(UTF_8));
    }

    @Test
    void the_words_are_told_apart_by_their_borders() {
        List<byte[]> own = bytes("java", "ls a", "b");

        List<byte[]> found = RawCommandLine.bytesOf(List.of("ls", "a b"), own);

        assertThat(found).containsExactly("ls".getBytes(UTF_8), "a b".getBytes(UTF_8));
    }

    @Test
    void what_the_jvm_could_not_decode_is_decoded_again() {
        assertThat(RawCommandLine.decoded(List.of("status", "caf??"), utf8("java", "Main", "status", "café")))
                .containsExactly("status", "café");
    }

    @Test
    void a_question_mark_that_was_typed_stays() {
        assertThat(RawCommandLine.decoded(List.of("local:?ttl=1s"), utf8("java", "Main", "local:?ttl=1s")))
                .containsExactly("local:?ttl=1s");
    }

    @Test
    void a_command_line_that_is_not_ours_is_not_believed() {
        assertThat(RawCommandLine.decoded(List.of("status", "a?"), utf8("java", "other", "aé")))
                .containsExactly("status", "a?");
        assertThat(RawCommandLine.decoded(List.of("status", "a?"), utf8("aé"))).containsExactly("status", "a?");
    }

    private static List<byte[]> utf8(String... words) {
        return Stream.of(words).map(word -> word.getBytes(UTF_8)).toList();
    }

    private static List<byte[]> bytes(String... words) {
        return Stream.of(words).map(word -> word.getBytes(ISO_8859_1)).toList();
    }
}
