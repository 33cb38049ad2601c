// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every planted bug is found: a survivor means that a check or a fault is missing. All of them are hunted by {@code tenure sim
 * --mutants}, which takes minutes; here those that come to light within a few seeds.
 */
final class MutantsTest {
    private static final long SEEDS_MAX = 1_500;
    private static final Set<String> FOUND_LATE = Set.of(
            "first deadline from response",
            "requested, not granted TTL",
            "stale reply to a renewal accepted",
            "pushed grant for any nonce accepted",
            "timeout = failure and forget",
            "equal token accepted with another nonce");

    @Tag("all")
    @Test
    void every_mutant_that_does_not_take_long_is_found() {
        ExecutorService workers = Executors.newFixedThreadPool(2);
        try {
            List<Mutant> soon = Mutants.all().stream()
                    .filter(mutant -> !FOUND_LATE.contains(mutant.name()))
                    .toList();

            List<MutantOutcome> outcomes = MutantHunt.run(root(), soon, SEEDS_MAX, workers, outcome -> {});

            outcomes.forEach(outcome -> System.out.println("verify: " + outcome));
            assertThat(outcomes)
                    .hasSizeGreaterThanOrEqualTo(18)
                    .allSatisfy(outcome ->
                            assertThat(outcome.isFound()).as(outcome.toString()).isTrue());
        } finally {
            workers.shutdownNow();
        }
    }

    @Tag("all")
    @Test
    void the_others_can_be_planted_as_well() {
        List<String> names = Mutants.all().stream().map(Mutant::name).toList();

        assertThat(names).containsAll(FOUND_LATE).doesNotHaveDuplicates();
        for (Mutant mutant : Mutants.all()) {
            if (FOUND_LATE.contains(mutant.name())) {
                MutantHunt.hunt(root(), mutant, 0);
            }
        }
    }

    @Test
    void every_mutant_still_has_its_place_in_the_source() {
        assertThat(Mutants.all()).hasSizeGreaterThanOrEqualTo(18).allSatisfy(mutant -> {
            String source = Files.readString(root().resolve(mutant.file()));

            assertThat(mutant.applyTo(source)).as(mutant.name()).isNotEqualTo(source);
        });
    }

    @Test
    void a_mutant_whose_place_has_changed_is_an_error() {
        Mutant outdated = new Mutant("outdated", "core/pom.xml", "no such text", "");

        assertThatThrownBy(() -> MutantHunt.hunt(root(), outdated, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("out of date");
    }

    @Tag("all")
    @Test
    void a_mutant_that_does_not_compile_is_an_error() {
        Mutant broken = Mutant.inCore("broken", "engine/Timing.java", "public record Timing(", "public recordTiming(");

        assertThatThrownBy(() -> MutantHunt.hunt(root(), broken, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("does not compile");
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("core/src/main/java"))) {
            folder = folder.getParent();
            assertThat(folder).as("the root of the repository").isNotNull();
        }
        return folder;
    }
}
