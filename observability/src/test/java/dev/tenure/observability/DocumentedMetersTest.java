// SPDX-License-Identifier: Apache-2.0
package dev.tenure.observability;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.testing.FakeElections;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page, the rules and the dashboard name the meters that there are. */
final class DocumentedMetersTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path FILES = DOCS.resolve("observability");
    /** A row of the page's table: meter, series, type, tags. */
    private static final Pattern ROW = Pattern.compile(
            "^\\| `(tenure\\.[a-z.]+)` \\| `(tenure_[a-z_]+)`[^|]*\\| ([a-z]+) \\|([^|]*)\\|", Pattern.MULTILINE);

    private static final Pattern SERIES = Pattern.compile("\\btenure_[a-z_]+");
    private static final Pattern NAME = Pattern.compile("`([a-z]+)`");

    private final FakeElections elections = FakeElections.create();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private record Documented(String series, String type, Set<String> tags) {}

    @BeforeEach
    void lead() {
        TenureMeters.of(elections.node("a").tenure()).bindTo(registry);
        elections.node("a").elect("billing/sweeper").perform(leadership -> leadership.rest(ofMinutes(1)));
        elections.advance(ofSeconds(10));
    }

    @AfterEach
    void close() {
        elections.close();
    }

    private static Map<String, Documented> documented() throws IOException {
        Map<String, Documented> rows = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(DOCS.resolve("observability.md")));
        while (row.find()) {
            Set<String> tags = NAME.matcher(row.group(4))
                    .results()
                    .map(tag -> tag.group(1))
                    .collect(Collectors.toSet());
            rows.put(row.group(1), new Documented(row.group(2), row.group(3), tags));
        }
        return rows;
    }

    private Set<String> scrapedSeries() {
        return registry.scrape()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.replaceFirst("[{ ].*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String type(Meter.Type type) {
        return switch (type) {
            case GAUGE -> "gauge";
            case COUNTER -> "counter";
            case TIMER -> "timer";
            default -> "unexpected " + type;
        };
    }

    @Test
    void the_page_lists_every_meter_with_its_type_and_tags() throws IOException {
        Map<String, Documented> rows = documented();
        Map<String, Set<String>> tags = new TreeMap<>();
        Map<String, String> types = new TreeMap<>();
        for (Meter meter : registry.getMeters()) {
            Meter.Id id = meter.getId();
            types.put(id.getName(), type(id.getType()));
            Set<String> known = tags.computeIfAbsent(id.getName(), name -> new TreeSet<>());
            id.getTags().forEach(tag -> known.add(tag.getKey()));
        }

        assertThat(rows.keySet()).isEqualTo(types.keySet());
        assertThat(rows).allSatisfy((name, row) -> {
            assertThat(row.type()).as(name).isEqualTo(types.get(name));
            assertThat(row.tags()).as(name).isEqualTo(tags.get(name));
        });
    }

    @Test
    void the_page_names_the_series_as_prometheus_has_them() throws IOException {
        Set<String> series = scrapedSeries();

        assertThat(documented()).allSatisfy((name, row) -> {
            boolean timer = row.type().equals("timer");
            assertThat(series).as(name).contains(timer ? row.series() + "_count" : row.series());
        });
    }

    @Test
    void rules_and_dashboard_name_only_series_that_there_are() throws IOException {
        Set<String> named = new TreeSet<>();
        for (String file : Set.of("alerts.yml", "dashboard.json")) {
            Set<String> found = SERIES.matcher(Files.readString(FILES.resolve(file)))
                    .results()
                    .map(MatchResult::group)
                    .collect(Collectors.toSet());
            assertThat(found).as(file).hasSizeGreaterThan(5);
            named.addAll(found);
        }

        assertThat(scrapedSeries()).containsAll(named);
    }

    @Test
    @Tag("server")
    void promtool_accepts_the_rules_their_tests_and_a_scrape() throws Exception {
        assertThat(Promtool.run(FILES, "", "check", "rules", "alerts.yml")).contains("SUCCESS");
        assertThat(Promtool.run(FILES, "", "test", "rules", "alerts-test.yml")).contains("SUCCESS");
        assertThat(Promtool.run(FILES, registry.scrape(), "check", "metrics")).isEmpty();
    }

    @Test
    @Tag("server")
    void promtool_parses_every_expression_of_the_dashboard() throws Exception {
        Path rules = Files.createTempFile("dashboard", ".yml");
        try {
            StringBuilder text = new StringBuilder("groups:\n- name: dashboard\n  rules:\n");
            Matcher expression = Pattern.compile("\"expr\": (\"(?:\\\\.|[^\"\\\\])*\")")
                    .matcher(Files.readString(FILES.resolve("dashboard.json")));
            int count = 0;
            while (expression.find()) {
                // A string of JSON is one of YAML; Grafana puts the interval in.
                text.append("  - record: panel").append(count++).append("\n    expr: ");
                text.append(expression.group(1).replace("$__rate_interval", "5m"))
                        .append('\n');
            }
            Files.writeString(rules, text);

            String said = Promtool.run(Path.of("."), "", "check", "rules", rules.toString());

            assertThat(said).contains("SUCCESS: " + count + " rules found");
            assertThat(count).isGreaterThan(8);
        } finally {
            Files.delete(rules);
        }
    }
}
