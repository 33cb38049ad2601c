package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class OwnArgumentsTest {
    @Test
    void what_the_jvm_could_not_decode_is_taken_from_the_command_line() {
        assertThat(OwnArguments.decoded(List.of("status", "caf??"), List.of("java", "Main", "status", "café")))
                .containsExactly("status", "café");
    }

    @Test
    void a_question_mark_that_was_typed_stays() {
        assertThat(OwnArguments.decoded(List.of("local:?ttl=1s"), List.of("java", "Main", "local:?ttl=1s")))
                .containsExactly("local:?ttl=1s");
    }

    @Test
    void a_command_line_that_is_not_ours_is_not_believed() {
        assertThat(OwnArguments.decoded(List.of("status", "a?"), List.of("java", "other", "aé")))
                .containsExactly("status", "a?");
        assertThat(OwnArguments.decoded(List.of("status", "a?"), List.of("aé"))).containsExactly("status", "a?");
    }
}
