// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static org.assertj.core.api.Assertions.assertThat;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronExpression;

/** Random expressions, zones and instants: away from changes of clocks, what others say is what we say. */
class ScheduleOracleTest {
    private static final List<String> ZONES = List.of(
            "UTC",
            "Europe/Berlin",
            "America/New_York",
            "Africa/Cairo",
            "Australia/Lord_Howe",
            "Asia/Kathmandu",
            "Pacific/Apia",
            "Antarctica/Troll",
            "America/Sao_Paulo");
    private static final CronParser CRON_UTILS =
            new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));
    private static final Duration AROUND = Duration.ofDays(2);

    @Test
    void spring_and_cron_utils_agree_outside_of_clock_changes() {
        compare(30_000, 1);
    }

    @Tag("all")
    @Test
    void they_agree_a_million_times() {
        compare(1_000_000, 2);
    }

    private static void compare(int cases, long seed) {
        Random random = new Random(seed);
        int bySpring = 0;
        int byCronUtils = 0;
        for (int i = 0; i < cases; i++) {
            String expression = expression(random);
            ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
            Instant after = Instant.ofEpochSecond(1_600_000_000L + random.nextInt(400_000_000));
            Instant due = Schedule.cron(expression, zone).next(after);
            if (changes(zone, after, due)) {
                continue;
            }
            String what = expression + " " + zone + " after " + after;
            String[] fields = expression.split(" ");
            boolean oneKindOfDay =
                    fields[2].equals("*") || fields[4].equals("*"); // Spring wants both to fit, crontabs either
            if (oneKindOfDay && !fields[4].startsWith("*/")) { // Spring's weeks begin on Monday
                ZonedDateTime spring = CronExpression.parse("0 " + expression).next(after.atZone(zone));
                assertThat(spring.toInstant()).as("Spring: " + what).isEqualTo(due);
                bySpring++;
            }
            if (!fields[2].startsWith("*/") && !fields[4].startsWith("*/")) { // crontabs count a step among the stars
                ZonedDateTime other = ExecutionTime.forCron(CRON_UTILS.parse(expression))
                        .nextExecution(after.atZone(zone))
                        .orElseThrow();
                assertThat(other.toInstant()).as("cron-utils: " + what).isEqualTo(due);
                byCronUtils++;
            }
        }
        assertThat(bySpring).isGreaterThan(cases / 3);
        assertThat(byCronUtils).isGreaterThan(cases / 3);
    }

    private static boolean changes(ZoneId zone, Instant after, Instant due) {
        ZoneOffsetTransition change = zone.getRules().nextTransition(after.minus(AROUND));
        return change != null && change.getInstant().isBefore(due.plus(AROUND));
    }

    private static String expression(Random random) {
        return field(random, 0, 59, 4) + " " + field(random, 0, 23, 3) + " " + field(random, 1, 28, 2) + " "
                + field(random, 1, 12, 1) + " " + field(random, 0, 6, 2);
    }

    private static String field(Random random, int min, int max, int restricted) {
        if (random.nextInt(6) > restricted) {
            return "*";
        }
        int low = min + random.nextInt(max - min + 1);
        int high = low + random.nextInt(max - low + 1);
        int step = 1 + random.nextInt(Math.max(1, (max - min) / 2));
        return switch (random.nextInt(5)) {
            case 0 -> "*/" + step;
            case 1 -> low + "-" + high;
            case 2 -> low + "-" + high + "/" + step;
            case 3 -> low + "," + (min + random.nextInt(max - min + 1));
            default -> Integer.toString(low);
        };
    }
}
