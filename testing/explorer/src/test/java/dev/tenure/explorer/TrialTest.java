package dev.tenure.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TrialTest {
    static Stream<Trial> trials() {
        return Trial.all().stream();
    }

    @ParameterizedTest
    @MethodSource("trials")
    void a_broken_rule_is_found_by_the_property_it_stands_for(Trial trial) {
        Exploration found = Explorer.run(trial.bounds(), System::nanoTime);
        System.out.println(found);

        assertThat(found.counterExample())
                .as("%s must be found", trial.bounds().sabotage())
                .hasValueSatisfying(example -> {
                    assertThat(example.property()).isEqualTo(trial.property());
                    assertThat(example.history()).isNotEmpty().last().asString().contains("✗");
                });
    }

    @Test
    void every_rule_that_can_be_broken_is_tried() {
        List<Sabotage> tried = Trial.all().stream()
                .flatMap(trial -> trial.bounds().sabotage().stream())
                .distinct()
                .toList();

        assertThat(tried).containsExactlyInAnyOrder(Sabotage.values());
    }
}
