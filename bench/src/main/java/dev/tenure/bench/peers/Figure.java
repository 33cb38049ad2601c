// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** One thing that was measured: a sample for each contender, and how Tenure's stands to its targets. */
final class Figure {
    private final String what;
    private final Map<Kind, Sample> samples = new EnumMap<>(Kind.class);
    private final Map<Kind, String> failures = new EnumMap<>(Kind.class);
    private final List<String> verdicts = new ArrayList<>();

    Figure(String what) {
        this.what = what;
    }

    void add(Kind kind, double value) {
        samples.put(kind, sample(kind).plus(value));
    }

    void failure(Kind kind, String text) {
        failures.put(kind, text);
    }

    Sample sample(Kind kind) {
        return samples.getOrDefault(kind, Sample.NONE);
    }

    /** A target that is a number. */
    Figure atMost(double limit) {
        return judge(limit, "<= " + Sample.number(limit), Sample::median);
    }

    Figure neverMoreThan(double limit) {
        return judge(limit, "always <= " + Sample.number(limit), Sample::max);
    }

    /** A target that is a multiple of what the best of these took in the same run, and perhaps a number more. */
    Figure atMost(double factor, List<Kind> references, double more) {
        Optional<Kind> best = references.stream()
                .filter(kind -> !sample(kind).isEmpty())
                .min(Comparator.comparingDouble(kind -> sample(kind).median()));
        return best.map(kind -> share(factor, kind, more, "", Sample::median)).orElseGet(this::nobodyToCompareWith);
    }

    Figure p99AtMost(double factor, Kind reference) {
        return sample(reference).isEmpty() ? nobodyToCompareWith() : share(factor, reference, 0, "p99 ", Sample::p99);
    }

    private Figure nobodyToCompareWith() {
        verdicts.add("nobody to compare with");
        return this;
    }

    private Figure share(double factor, Kind kind, double more, String which, ToDoubleFunction<Sample> value) {
        double limit = factor * value.applyAsDouble(sample(kind)) + more;
        String target = String.format(
                Locale.ROOT,
                "%s<= %s x %s%s = %s",
                which,
                Sample.number(factor),
                kind.title(),
                more == 0 ? "" : " + " + Sample.number(more),
                Sample.number(limit));
        return judge(limit, target, value);
    }

    private Figure judge(double limit, String target, ToDoubleFunction<Sample> value) {
        if (sample(Kind.TENURE).isEmpty()) {
            verdicts.add(target + ": NOT MEASURED");
            return this;
        }
        double measured = value.applyAsDouble(sample(Kind.TENURE));
        String ratio = limit == 0 ? "" : String.format(Locale.ROOT, ", %.2f of it", measured / limit);
        verdicts.add(target + (measured <= limit ? ": met" : ": MISSED") + ratio);
        return this;
    }

    String what() {
        return what;
    }

    String cell(Kind kind) {
        String text = sample(kind).text();
        return failures.containsKey(kind) ? (sample(kind).isEmpty() ? "" : text + "; ") + failures.get(kind) : text;
    }

    List<String> verdicts() {
        return verdicts;
    }
}
