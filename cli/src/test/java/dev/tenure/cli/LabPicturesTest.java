// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.cli.browser.Chromium;
import dev.tenure.cli.browser.Tab;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The pictures of docs/algorithms.md are what the lab draws of the runs that stand there. */
@Tag("all")
final class LabPicturesTest {
    private static final Path DOCS = Path.of("..", "docs", "algorithms.md");
    private static final Path DRAWN = Path.of("target", "pictures");
    private static final int SIZE_MAX = 60_000;
    private static final String PICTURE =
            "pictureOf(modelOf(given), new Set(modelOf(given).kinds.filter(kind => kind.background).map(kind => kind.name)), "
                    + "electionIn(modelOf(given)), {width: 860, height: 46 + (given.algorithm === 'sticky' ? 144 : 64) * given.nodes})";

    private static Chromium browser;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() throws Exception {
        browser = Chromium.start();
    }

    @AfterAll
    static void stop() throws Exception {
        browser.close();
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void a_picture_shows_what_the_lab_draws_now(Algorithm algorithm) throws Exception {
        String name = algorithm.spelling();
        Path kept = DOCS.resolveSibling("algorithms").resolve(name + ".svg");

        String drawn = draw(name);
        Files.createDirectories(DRAWN);
        Files.writeString(DRAWN.resolve(name + ".svg"), drawn);

        assertThat(Files.readString(DOCS)).contains("](algorithms/" + name + ".svg)");
        assertThat(drawn.length()).isBetween(1_000, SIZE_MAX);
        assertThat(kept)
                .as("if it is right that it has changed, copy cli/target/pictures/%s.svg", name)
                .hasContent(drawn);
    }

    /** The run that the page of this algorithm tells. */
    private String draw(String name) throws Exception {
        Matcher command =
                Pattern.compile("A run: `tenure (lab run " + name + " [^`]*)`").matcher(Files.readString(DOCS));
        assertThat(command.find()).isTrue();
        Path page = folder.resolve("page.html");
        List<String> words =
                new ArrayList<>(Arrays.asList(command.group(1).replace("'", "").split(" ")));
        words.addAll(List.of("--html", page.toString()));
        assertThat(InProcess.run(words.toArray(new String[0])).code()).isZero();
        try (Tab tab = browser.open(page.toUri().toString(), 1280, 900)) {
            return tab.text(PICTURE);
        }
    }
}
