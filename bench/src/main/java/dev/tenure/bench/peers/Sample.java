// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Measured values of one kind, in order of size; shown as their median with the middle eight tenths around it. */
record Sample(List<Double> values) {
    static final Sample NONE = new Sample(List.of());

    Sample plus(double value) {
        return new Sample(
                Stream.concat(values.stream(), Stream.of(value)).sorted().toList());
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    double median() {
        int middle = values.size() / 2;
        return values.size() % 2 == 1 ? values.get(middle) : (values.get(middle - 1) + values.get(middle)) / 2;
    }

    double p99() {
        return hundredth(99);
    }

    double max() {
        return hundredth(100);
    }

    private double hundredth(int hundredths) {
        return values.get((int) Math.round((values.size() - 1) * hundredths / 100.0));
    }

    String text() {
        if (isEmpty()) {
            return "-";
        }
        if (values.size() == 1) {
            return number(values.get(0));
        }
        return String.format(
                Locale.ROOT,
                "%s (%s..%s, p99 %s, n=%d)",
                number(median()),
                number(hundredth(10)),
                number(hundredth(90)),
                number(p99()),
                values.size());
    }

    static String number(double value) {
        return String.format(Locale.ROOT, value == Math.rint(value) && Math.abs(value) < 1e6 ? "%.0f" : "%.2f", value);
    }
}
