// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.scenario;

import dev.tenure.lab.Experiment;
import dev.tenure.lab.fault.Fault;
import dev.tenure.lab.fault.FaultText;
import dev.tenure.spi.DurationText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a scenario. The file is YAML, of which it may use: comments, {@code key: value} with plain or quoted
 * values, and one list.
 *
 * <pre>
 * name: leader crash
 * about: The leader crashes, and comes back two seconds later.   # optional
 * nodes: 5                                                       # default 5
 * seed: 1                                                        # default 1
 * for: 5s                                                        # default 5s
 * faults:
 *   - crash leader@1s
 *   - recover *@3s
 * </pre>
 *
 * Everything else (escapes in quotes, nesting, anchors, several documents) is refused with the number of its line.
 */
public final class ScenarioFile {
    private static final Set<String> KEYS = Set.of("name", "about", "nodes", "seed", "for", "faults");
    private static final Pattern QUOTED = Pattern.compile("([\"'])([^\"'\\\\]*)\\1");
    private static final int LINES_MAX = 10_000;

    private final Map<String, String> values = new HashMap<>();
    private final List<Line> faults = new ArrayList<>();

    private record Line(int number, String text) {}

    private ScenarioFile() {}

    /** @throws IllegalArgumentException with the number of the line that is wrong */
    public static Scenario parse(String text) {
        ScenarioFile file = new ScenarioFile();
        List<String> lines = text.lines().limit(LINES_MAX + 1L).toList();
        if (lines.size() > LINES_MAX) {
            throw new IllegalArgumentException("a scenario has at most " + LINES_MAX + " lines");
        }
        for (int i = 0; i < lines.size(); i++) {
            try {
                file.take(i + 1, withoutComment(lines.get(i)));
            } catch (IllegalArgumentException wrong) {
                throw inLine(i + 1, wrong);
            }
        }
        return file.scenario();
    }

    private static IllegalArgumentException inLine(int number, IllegalArgumentException wrong) {
        return new IllegalArgumentException("line " + number + ": " + wrong.getMessage(), wrong);
    }

    private static String withoutComment(String line) {
        if (line.stripLeading().startsWith("#")) {
            return "";
        }
        int comment = line.indexOf(" #");
        return (comment < 0 ? line : line.substring(0, comment)).stripTrailing();
    }

    private void take(int number, String line) {
        if (line.isBlank() || (line.equals("---") && values.isEmpty())) {
            return;
        }
        String content = line.strip();
        if (content.startsWith("- ") && "".equals(values.get("faults"))) {
            faults.add(new Line(number, unquoted(content.substring(2).strip())));
            return;
        }
        int colon = line.indexOf(':');
        if (colon < 0 || Character.isWhitespace(line.charAt(0))) {
            throw new IllegalArgumentException("'" + content + "' is neither 'key: value' nor a fault in the list");
        }
        String key = line.substring(0, colon);
        String value = unquoted(line.substring(colon + 1).strip());
        if (!KEYS.contains(key)) {
            throw new IllegalArgumentException("unknown key '" + key + "'");
        }
        if (!value.isEmpty() && "\"'[{&*!|>%@`".indexOf(value.charAt(0)) >= 0) {
            throw new IllegalArgumentException("only plain values are read, not " + value);
        }
        if (key.equals("faults") && !value.isEmpty()) {
            throw new IllegalArgumentException("faults are a list: one line each, beginning with '- '");
        }
        if (values.put(key, value) != null) {
            throw new IllegalArgumentException("'" + key + "' stands twice");
        }
    }

    private static String unquoted(String value) {
        Matcher quoted = QUOTED.matcher(value);
        return quoted.matches() ? quoted.group(2) : value;
    }

    private Scenario scenario() {
        int nodes = (int) number("nodes", 5, 1, Experiment.NODES_MAX);
        List<Fault> parsed = faults.stream().map(each -> fault(each, nodes)).toList();
        long forNanos =
                DurationText.parse("for", values.getOrDefault("for", "5s")).toNanos();
        if (forNanos == 0) {
            throw new IllegalArgumentException("for: a run lasts longer than nothing");
        }
        return new Scenario(
                values.getOrDefault("name", "without a name"),
                values.getOrDefault("about", ""),
                nodes,
                number("seed", 1, 0, Long.MAX_VALUE),
                forNanos,
                parsed);
    }

    private static Fault fault(Line line, int nodes) {
        try {
            return FaultText.parse(line.text(), nodes);
        } catch (IllegalArgumentException wrong) {
            throw inLine(line.number(), wrong);
        }
    }

    private long number(String key, long otherwise, long min, long max) {
        String text = values.getOrDefault(key, Long.toString(otherwise));
        if (!text.matches("\\d{1,18}") || Long.parseLong(text) < min || Long.parseLong(text) > max) {
            throw new IllegalArgumentException(key + " '" + text + "' is not a number from " + min + " to " + max);
        }
        return Long.parseLong(text);
    }
}
