package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One thing that was measured: a sample for each contender, and how Tenure's stands to its targets. */
final class Figure {
    private final String what;
    private final Map<Kind, Sample> samples = new EnumMap<>(Kind.class);
    private final Map<Kind, String> troubles = new EnumMap<>(Kind.class);
    private final List<String> verdicts = new ArrayList<>();

    Figure(String what) {
        this.what = what;
    }

    void add(Kind kind, double value) {
        samples.put(kind, sample(kind).plus(value));
    }

    void trouble(Kind kind, String text) {
        troubles.put(kind, text);
    }

    Sample sample(Kind kind) {
        return samples.getOrDefault(kind, Sample.NONE);
    }

    /** A target that is a number. */
    Figure atMost(double limit) {
        return judge(limit, "<= " + Sample.number(limit));
    }

    /** A target that is a share of what another contender took in the same run. */
    Figure atMost(double factor, Kind reference) {
        if (sample(reference).isEmpty()) {
            verdicts.add("no " + reference.title() + " to compare with");
            return this;
        }
        double limit = factor * sample(reference).median();
        return judge(
                limit,
                String.format(
                        Locale.ROOT,
                        "<= %s x %s = %s",
                        Sample.number(factor),
                        reference.title(),
                        Sample.number(limit)));
    }

    private Figure judge(double limit, String target) {
        if (sample(Kind.TENURE).isEmpty()) {
            verdicts.add(target + ": NOT MEASURED");
            return this;
        }
        double measured = sample(Kind.TENURE).median();
        String ratio = limit == 0 ? "" : String.format(Locale.ROOT, ", %.2f of it", measured / limit);
        verdicts.add(target + (measured <= limit ? ": met" : ": MISSED") + ratio);
        return this;
    }

    String what() {
        return what;
    }

    String cell(Kind kind) {
        String text = sample(kind).text();
        return troubles.containsKey(kind) ? (sample(kind).isEmpty() ? "" : text + "; ") + troubles.get(kind) : text;
    }

    List<String> verdicts() {
        return verdicts;
    }
}
