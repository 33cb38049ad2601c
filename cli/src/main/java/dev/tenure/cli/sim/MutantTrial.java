package dev.tenure.cli.sim;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.simulator.Count;
import dev.tenure.simulator.mutants.Mutant;
import dev.tenure.simulator.mutants.MutantHunt;
import dev.tenure.simulator.mutants.Mutants;
import dev.tenure.simulator.mutants.Verdict;
import dev.tenure.simulator.world.EngineLog;
import dev.tenure.spi.Host;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

/** Shows that the simulator finds bugs: plants them, one after the other, in the source that it was built from. */
record MutantTrial(Host host, Console console, boolean json) {
    private static final Path LANDMARK = Path.of("core", "src", "main", "java", "dev", "tenure");

    int run(long seedsMax, int workers) {
        Path root = checkout()
                .orElseThrow(() -> Failure.usage(
                        "mutants are made from the source: run ./tenure sim --mutants in a checkout of Tenure"));
        List<Mutant> mutants = Mutants.all();
        List<Verdict> verdicts;
        // Hunts come and go, and each leaves the log as it has found it: with this one around, always quiet.
        try (EngineLog quiet = EngineLog.listen()) {
            verdicts = MutantHunt.run(root, mutants, seedsMax, atMost(workers), this::tell);
        }
        long found = verdicts.stream().filter(Verdict::isFound).count();
        if (json) {
            console.print(Json.text(Json.object(
                    "mutants", verdicts.size(),
                    "found", found,
                    "verdicts", verdicts.stream().map(MutantTrial::json).toList())));
        } else {
            console.print(found + " of " + Count.of(verdicts.size(), "mutant") + " found");
        }
        return found == verdicts.size() ? ExitCode.OK : ExitCode.NO;
    }

    private synchronized void tell(Verdict verdict) {
        if (!json) {
            console.print(verdict.toString());
        }
    }

    private static Map<String, Object> json(Verdict verdict) {
        return Json.object(
                "name", verdict.mutant().name(),
                "found", verdict.isFound(),
                "property", verdict.capture().map(Verdict.Capture::property),
                "seeds", verdict.capture().map(Verdict.Capture::seeds),
                "message", verdict.capture().map(Verdict.Capture::message));
    }

    private Executor atMost(int workers) {
        Semaphore free = new Semaphore(workers);
        return task -> host.perform("tenure-mutant", () -> {
            free.acquireUninterruptibly();
            try {
                task.run();
            } finally {
                free.release();
            }
        });
    }

    /** The checkout that these classes were built in, or else the one that we stand in. */
    private static Optional<Path> checkout() {
        for (Path place : List.of(ownPlace(), Path.of("").toAbsolutePath())) {
            for (Path folder = place; folder != null; folder = folder.getParent()) {
                if (Files.isDirectory(folder.resolve(LANDMARK))) {
                    return Optional.of(folder);
                }
            }
        }
        return Optional.empty();
    }

    private static Path ownPlace() {
        try {
            URL place = MutantTrial.class.getProtectionDomain().getCodeSource().getLocation();
            return Path.of(place.toURI());
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
