// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Algorithm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ExplanationTest {
    private static final Path DOCS = Path.of("..", "docs", "algorithms.md");

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void the_documentation_shows_what_the_lab_says_now(Algorithm algorithm) throws IOException {
        String page = Explanation.of(algorithm);

        assertThat(Files.readString(DOCS))
                .as("tenure lab explain %s says something else than docs/algorithms.md", algorithm.spelling())
                .contains(page);
    }
}
