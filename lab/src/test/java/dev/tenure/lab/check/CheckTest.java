// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Algorithm;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A short form of {@code tenure lab check}. */
final class CheckTest {
    private static final long SEEDS = 500;

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void what_an_algorithm_promises_holds_in_every_seed(Algorithm algorithm) {
        assertThat(LongStream.rangeClosed(1, SEEDS).boxed().flatMap(seed -> Check.run(algorithm, seed).stream()))
                .isEmpty();
    }
}
