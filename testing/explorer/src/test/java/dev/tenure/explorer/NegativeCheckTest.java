// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NegativeCheckTest {
    static Stream<NegativeCheck> negativeChecks() {
        return NegativeCheck.all().stream();
    }

    @ParameterizedTest
    @MethodSource("negativeChecks")
    void a_broken_rule_is_found_by_the_property_it_stands_for(NegativeCheck negativeCheck) {
        Exploration found = Explorer.run(negativeCheck.bounds(), System::nanoTime);
        System.out.println(found);

        assertThat(found.counterExample())
                .as("%s must be found", negativeCheck.bounds().brokenRule())
                .hasValueSatisfying(example -> {
                    assertThat(example.property()).isEqualTo(negativeCheck.property());
                    assertThat(example.history()).isNotEmpty().last().asString().contains("✗");
                });
    }

    @Test
    void every_rule_that_can_be_broken_is_tried() {
        List<BrokenRule> tried = NegativeCheck.all().stream()
                .flatMap(negativeCheck -> negativeCheck.bounds().brokenRule().stream())
                .distinct()
                .toList();

        assertThat(tried).containsExactlyInAnyOrder(BrokenRule.values());
    }
}
