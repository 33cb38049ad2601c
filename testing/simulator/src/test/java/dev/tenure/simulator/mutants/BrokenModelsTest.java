// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.simulator.mutants.BrokenModels.BrokenModel;
import dev.tenure.simulator.world.EngineLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** A model of a store that breaks one of its laws without a word is noticed, for each of them. */
@Tag("all")
final class BrokenModelsTest {
    private static final long SEEDS_MAX = 300;
    private static final ExecutorService WORKERS = Executors.newFixedThreadPool(2);
    /** Hunts run side by side, and each of them leaves the engine's log as it has found it: so, quiet. */
    private static final EngineLog QUIET = EngineLog.listen();

    @AfterAll
    static void stop() {
        WORKERS.shutdownNow();
        QUIET.close();
    }

    @TestFactory
    Stream<DynamicTest> every_broken_rule_is_noticed() {
        List<BrokenModel> broken = BrokenModels.all();
        List<Future<MutantOutcome>> hunts = broken.stream()
                .map(each -> WORKERS.submit(() -> MutantHunt.hunt(root(), each.mutant(), SEEDS_MAX, each.store())))
                .toList();
        return Stream.iterate(0, i -> i < broken.size(), i -> i + 1)
                .map(i -> DynamicTest.dynamicTest(broken.get(i).toString(), () -> {
                    MutantOutcome outcome = hunts.get(i).get();

                    System.out.println("verify: " + outcome);
                    assertThat(outcome.isFound()).as(outcome.toString()).isTrue();
                }));
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
