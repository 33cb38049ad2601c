package dev.tenure.bench.peers;

import java.util.Arrays;
import java.util.Locale;

/** Measured values of one kind, shown as their median with the middle eight tenths around it. */
record Sample(double... values) {
    static final Sample NONE = new Sample();

    Sample {
        values = values.clone();
        Arrays.sort(values);
    }

    Sample plus(double value) {
        double[] more = Arrays.copyOf(values, values.length + 1);
        more[values.length] = value;
        return new Sample(more);
    }

    boolean isEmpty() {
        return values.length == 0;
    }

    double median() {
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }

    private double tenth(int tenths) {
        return values[(values.length - 1) * tenths / 10];
    }

    String text() {
        if (isEmpty()) {
            return "-";
        }
        if (values.length == 1) {
            return number(values[0]);
        }
        return String.format(
                Locale.ROOT, "%s (%s..%s, n=%d)", number(median()), number(tenth(1)), number(tenth(9)), values.length);
    }

    static String number(double value) {
        return String.format(Locale.ROOT, value == Math.rint(value) && Math.abs(value) < 1e6 ? "%.0f" : "%.2f", value);
    }
}
