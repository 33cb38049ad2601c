// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.compare;

import java.util.List;
import java.util.Locale;

/** Messages over nodes, both axes logarithmic, as an SVG that needs nothing else. */
public final class Chart {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 600;
    private static final int LEFT = 70;
    private static final int RIGHT = 220;
    private static final int TOP = 50;
    private static final int BOTTOM = 60;
    private static final int LABEL_GAP = 15;
    private static final List<String> COLOURS =
            List.of("#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d35400", "#16a085", "#7f8c8d", "#b8860b", "#34495e");

    private final Comparison comparison;
    private final double nodesMin;
    private final double nodesMax;
    private final double messagesMax;

    private Chart(Comparison comparison) {
        this.comparison = comparison;
        List<Measurement> measurements = comparison.measurements();
        nodesMin = measurements.stream().mapToInt(Measurement::nodes).min().orElseThrow();
        nodesMax = Math.max(
                nodesMin + 1,
                measurements.stream().mapToInt(Measurement::nodes).max().orElseThrow());
        messagesMax = measurements.stream()
                        .mapToDouble(each -> each.messages().mean())
                        .max()
                        .orElseThrow()
                * 1.3;
    }

    public static String svg(Comparison comparison) {
        return new Chart(comparison).draw();
    }

    private String draw() {
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">%n",
                WIDTH,
                HEIGHT));
        svg.append(String.format(Locale.ROOT, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>%n", WIDTH, HEIGHT));
        svg.append(text(LEFT, 28, "start", "#222", "Messages until all know the leader; dots measured, dashes theory"));
        grid(svg);
        double[] labels = labelHeights();
        for (Benchmark benchmark : Benchmark.values()) {
            line(svg, benchmark, labels[benchmark.ordinal()]);
        }
        return svg.append("</svg>\n").toString();
    }

    private void grid(StringBuilder svg) {
        for (double value = 1; value <= messagesMax; value *= 10) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                    LEFT,
                    WIDTH - RIGHT,
                    y(value),
                    y(value)));
            svg.append(text(LEFT - 8, y(value) + 4, "end", "#555", String.format(Locale.ROOT, "%.0f", value)));
        }
        comparison.measurements().stream()
                .map(Measurement::nodes)
                .distinct()
                .forEach(nodes ->
                        svg.append(text(x(nodes), HEIGHT - BOTTOM + 20.0, "middle", "#555", Integer.toString(nodes))));
        svg.append(text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16.0, "middle", "#555", "nodes"));
    }

    private void line(StringBuilder svg, Benchmark benchmark, double labelY) {
        String colour = COLOURS.get(benchmark.ordinal() % COLOURS.size());
        StringBuilder measured = new StringBuilder();
        StringBuilder theory = new StringBuilder();
        StringBuilder dots = new StringBuilder();
        List<Measurement> measurements = of(benchmark);
        for (Measurement measurement : measurements) {
            measured.append(String.format(
                    Locale.ROOT,
                    "%.1f,%.1f ",
                    x(measurement.nodes()),
                    y(measurement.messages().mean())));
            dots.append(String.format(
                    Locale.ROOT,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n",
                    x(measurement.nodes()),
                    y(measurement.messages().mean()),
                    colour));
            double high = benchmark.high(measurement.nodes());
            if (high <= messagesMax) {
                theory.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(measurement.nodes()), y(high)));
            }
        }
        svg.append(String.format(
                Locale.ROOT,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>%n",
                measured,
                colour));
        svg.append(String.format(
                Locale.ROOT,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-dasharray=\"5 4\" opacity=\"0.6\"/>%n",
                theory,
                colour));
        svg.append(dots);
        svg.append(text(WIDTH - RIGHT + 12.0, labelY, "start", colour, benchmark.title()));
    }

    /** Beside the ends of the lines, and never over each other. */
    private double[] labelHeights() {
        double[] heights = new double[Benchmark.values().length];
        double last = Double.NEGATIVE_INFINITY;
        List<Benchmark> fromTop = List.of(Benchmark.values()).stream()
                .sorted((one, other) -> Double.compare(end(other), end(one)))
                .toList();
        for (Benchmark benchmark : fromTop) {
            last = Math.max(last + LABEL_GAP, y(end(benchmark)) + 4);
            heights[benchmark.ordinal()] = last;
        }
        return heights;
    }

    private double end(Benchmark benchmark) {
        List<Measurement> measurements = of(benchmark);
        return measurements.get(measurements.size() - 1).messages().mean();
    }

    private List<Measurement> of(Benchmark benchmark) {
        return comparison.measurements().stream()
                .filter(measurement -> measurement.benchmark() == benchmark)
                .toList();
    }

    private double x(double nodes) {
        return LEFT + (WIDTH - LEFT - RIGHT) * Math.log(nodes / nodesMin) / Math.log(nodesMax / nodesMin);
    }

    private double y(double messages) {
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * Math.log(Math.max(1, messages)) / Math.log(messagesMax);
    }

    private static String text(double x, double y, String anchor, String colour, String text) {
        return String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>%n",
                x,
                y,
                anchor,
                colour,
                text.replace("<", "&lt;"));
    }
}
