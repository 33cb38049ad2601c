// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.mutants;

import dev.tenure.simulator.plan.StoreKind;
import dev.tenure.simulator.world.EngineLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Plants each bug in turn and runs seeds until it is found. */
public final class MutantHunt {
    private MutantHunt() {}

    /**
     * Hunts all of them; a mutant that survives means that a check or a fault is missing.
     *
     * @param root of a checkout of this repository, from which the classes that are running were built
     * @param seedsMax after how many seeds a mutant counts as a survivor
     * @param workers where the hunts run, one task for each mutant
     * @param told of each verdict as it comes, in no order
     */
    public static List<MutantOutcome> run(
            Path root, List<Mutant> mutants, long seedsMax, Executor workers, Consumer<MutantOutcome> told) {
        // Hunts run side by side, and each of them quiets the engine's log and restores it as it found it.
        try (EngineLog log = EngineLog.listen()) {
            return runAll(root, mutants, seedsMax, workers, told);
        }
    }

    private static List<MutantOutcome> runAll(
            Path root, List<Mutant> mutants, long seedsMax, Executor workers, Consumer<MutantOutcome> told) {
        List<CompletableFuture<MutantOutcome>> hunts = new ArrayList<>();
        for (Mutant mutant : mutants) {
            hunts.add(CompletableFuture.supplyAsync(() -> hunt(root, mutant, seedsMax), workers)
                    .whenComplete((outcome, failure) -> {
                        if (failure == null) {
                            told.accept(outcome);
                        }
                    }));
        }
        return hunts.stream().map(CompletableFuture::join).toList();
    }

    /** One mutant, in worlds with the stores that the seeds draw. */
    public static MutantOutcome hunt(Path root, Mutant mutant, long seedsMax) {
        return hunt(root, mutant, 1, seedsMax, "");
    }

    /** One mutant, in worlds with this store only. */
    public static MutantOutcome hunt(Path root, Mutant mutant, long seedsMax, StoreKind store) {
        return hunt(root, mutant, 1, seedsMax, store.name());
    }

    private static MutantOutcome hunt(Path root, Mutant mutant, long from, long seedsMax, String store) {
        try {
            ClassLoader parent = MutantHunt.class.getClassLoader();
            ClassLoader mutated = new MutantLoader(parent, new MutantCompiler(root).compile(mutant));
            Object found = mutated.loadClass(Hunt.class.getName())
                    .getMethod("run", long.class, long.class, String.class)
                    .invoke(null, from, seedsMax, store);
            String[] capture = (String[]) found;
            return new MutantOutcome(
                    mutant,
                    capture.length == 0
                            ? Optional.empty()
                            : Optional.of(
                                    new MutantOutcome.Capture(Long.parseLong(capture[0]), capture[1], capture[2])));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        } catch (InvocationTargetException broken) {
            throw new IllegalStateException("the hunt for '" + mutant.name() + "' broke", broken.getCause());
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
