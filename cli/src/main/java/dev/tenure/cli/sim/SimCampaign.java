package dev.tenure.cli.sim;

import dev.tenure.cli.text.Console;
import dev.tenure.simulator.Count;
import dev.tenure.simulator.SeedViolation;
import dev.tenure.simulator.SimOptions;
import dev.tenure.simulator.SimReport;
import dev.tenure.simulator.Simulator;
import dev.tenure.simulator.trace.Fault;
import dev.tenure.spi.Host;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Many seeds, in portions, so that a terminal can be told how far it is. */
final class SimCampaign {
    private static final int PORTIONS = 100;
    private static final int SEEDS_PER_WORKER_MIN = 50;

    private final Host host;
    private final Console console;
    private final int workers;

    SimCampaign(Host host, Console console, int workers) {
        this.host = host;
        this.console = console;
        this.workers = workers;
    }

    SimReport run(SimOptions all) {
        long seeds = all.seeds();
        long portion = Math.max((long) workers * SEEDS_PER_WORKER_MIN, seeds / PORTIONS);
        StringBuilder found = new StringBuilder();
        Optional<SimReport> sum = Optional.empty();
        for (long done = 0; done < seeds; done += portion) {
            SimOptions options = SimOptions.seeds(Math.min(portion, seeds - done))
                    .from(all.from() + done)
                    .store(all.store())
                    .hanging(all.hanging())
                    .workers(workers);
            SimReport part = Simulator.run(options, found, task -> host.perform("tenure-sim", task), host::nanos);
            sum = Optional.of(sum.isPresent() ? plus(sum.get(), part) : part);
            console.progress(Math.min(seeds, done + portion) + " of " + Count.of(seeds, "seed") + ", "
                    + Count.of(sum.get().violations().size(), "violation"));
        }
        console.progress("");
        return sum.orElseThrow();
    }

    /** The hash of a campaign is a sum over its seeds, so it does not depend on the portions. */
    private static SimReport plus(SimReport one, SimReport next) {
        List<SeedViolation> violations = new ArrayList<>(one.violations());
        violations.addAll(next.violations());
        Map<Fault, Long> faults = new EnumMap<>(one.faults());
        next.faults().forEach((fault, count) -> faults.merge(fault, count, Long::sum));
        return new SimReport(
                one.from(),
                one.seeds() + next.seeds(),
                violations,
                faults,
                one.terms() + next.terms(),
                one.events() + next.events(),
                one.simulatedHours() + next.simulatedHours(),
                one.hash() + next.hash(),
                one.wallNanos() + next.wallNanos());
    }
}
