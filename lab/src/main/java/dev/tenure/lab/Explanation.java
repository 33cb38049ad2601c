// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.algorithms.Description;
import dev.tenure.lab.fault.Fault;
import dev.tenure.lab.fault.FaultText;
import dev.tenure.lab.trace.Trace;
import dev.tenure.lab.trace.TraceText;
import dev.tenure.lab.world.World;
import java.util.List;
import java.util.stream.Collectors;

/** A page about one algorithm, with a run that really took place. The pages of {@code docs/algorithms.md} are these. */
public final class Explanation {
    private static final int NODES = 4;
    private static final int WIDTH = 110;
    private static final long MILLI = 1_000_000;

    private Explanation() {}

    public static String of(Algorithm algorithm) {
        Description about = algorithm.description();
        StringBuilder page = new StringBuilder();
        page.append("## ").append(about.title()).append("\n\n");
        page.append('`')
                .append(algorithm.spelling())
                .append("`, ")
                .append(about.origin())
                .append(".\n\n");
        page.append(wrapped(about.idea(), "")).append('\n');
        list(page, "It assumes", about.assumes());
        list(page, "Then it promises", about.promises());
        list(page, "It cannot promise", about.cannotPromise());
        page.append(wrapped("Cost: " + about.cost() + ".", "")).append('\n');
        run(page, algorithm);
        return page.toString();
    }

    private static void run(StringBuilder page, Algorithm algorithm) {
        Experiment experiment = workedExample(algorithm);
        Trace trace = World.run(experiment);
        String faults = experiment.faults().stream()
                .map(Fault::toString)
                .map(text -> "--" + text.replaceFirst(" ", " '") + "'")
                .collect(Collectors.joining(" "));
        page.append("A run: `tenure lab run ")
                .append(algorithm.spelling())
                .append(" --nodes ")
                .append(experiment.nodes())
                .append(' ')
                .append(faults)
                .append(" --for ")
                .append(experiment.forNanos() / MILLI)
                .append("ms --seed ")
                .append(experiment.seed())
                .append("`\n\n```text\n");
        TraceText.events(trace).forEach(line -> page.append(line).append('\n'));
        page.append('\n');
        TraceText.summary(trace).forEach(line -> page.append(line).append('\n'));
        page.append("```\n");
    }

    /** The leader crashes; or, where there is none, any node. */
    static Experiment workedExample(Algorithm algorithm) {
        int nodes = algorithm.hasTerms() ? NODES - 1 : NODES;
        String crash = algorithm == Algorithm.STICKY ? "crash 2@500ms" : "crash leader@500ms";
        return Experiment.of(AlgorithmConfig.of(algorithm), nodes, 1)
                .with(List.of(FaultText.parse(crash, nodes)))
                .lasting(1_500 * MILLI);
    }

    private static void list(StringBuilder page, String title, List<String> items) {
        page.append(title).append("\n\n");
        items.forEach(item -> page.append(wrapped("- " + item, "  ")));
        page.append('\n');
    }

    private static String wrapped(String text, String indent) {
        StringBuilder lines = new StringBuilder();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (line.length() + 1 + word.length() > WIDTH) {
                lines.append(line).append('\n');
                line = new StringBuilder(indent);
                line.append(word);
            } else {
                line.append(line.length() == 0 ? "" : " ").append(word);
            }
        }
        return lines.append(line).append('\n').toString();
    }
}
