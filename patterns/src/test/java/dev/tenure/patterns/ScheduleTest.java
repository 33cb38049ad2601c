// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 6 * * *          | 2026-05-01T06:00 | 2026-05-02T06:00
            */15 9-17 * * 1-5  | 2026-05-01T17:45 | 2026-05-04T09:00
            0 0 29 2 *         | 2026-01-01T00:00 | 2028-02-29T00:00
            0 0 29 2 *         | 2096-03-01T00:00 | 2104-02-29T00:00
            0 0 31 * *         | 2026-03-31T00:00 | 2026-05-31T00:00
            0 0 13 * 5         | 2026-05-01T00:00 | 2026-05-08T00:00
            0 0 13 * 5         | 2026-05-08T00:00 | 2026-05-13T00:00
            0 0 */2 * 1        | 2026-05-04T12:00 | 2026-05-11T00:00
            0 0 * * 7          | 2026-05-01T00:00 | 2026-05-03T00:00
            0 0 * * fri-7      | 2026-05-01T00:00 | 2026-05-02T00:00
            0 12 1 jan,JUL *   | 2026-05-01T00:00 | 2026-07-01T12:00
            5,35 8-10/2 * * *  | 2026-05-01T08:35 | 2026-05-01T10:05
            @daily             | 2026-05-01T10:00 | 2026-05-02T00:00
            @hourly            | 2026-05-01T10:00 | 2026-05-01T11:00
            @weekly            | 2026-05-01T10:00 | 2026-05-03T00:00
            @monthly           | 2026-05-01T10:00 | 2026-06-01T00:00
            @Yearly            | 2026-05-01T10:00 | 2027-01-01T00:00
            """)
    void a_crontab_says_when_it_is_due_next(String expression, LocalDateTime after, LocalDateTime due) {
        Schedule schedule = Schedule.cron(expression, ZoneOffset.UTC);

        assertThat(schedule.next(after.toInstant(ZoneOffset.UTC))).isEqualTo(due.toInstant(ZoneOffset.UTC));
        assertThat(Schedule.parse(schedule.expression(), schedule.zone().getId())
                        .next(after.toInstant(ZoneOffset.UTC)))
                .isEqualTo(due.toInstant(ZoneOffset.UTC));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 30-31 feb *"})
    void a_date_that_never_comes_is_refused_at_once(String expression) {
        assertThatThrownBy(() -> Schedule.cron(expression, ZoneOffset.UTC))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("never due");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''             | five
            0 0 * *        | five
            0 0 6 * * *    | five
            60 0 * * *     | minute
            0 24 * * *     | hour
            0 0 0 * *      | day of month
            0 0 32 * *     | day of month
            0 0 * 13 *     | month
            0 0 * foo *    | month
            0 0 * * 8      | day of week
            */0 * * * *    | minute
            5/10 * * * *   | 0-59/5
            30-10 * * * *  | ends before it begins
            0 0 * * fri-mon| ends before it begins
            0 0 L * *      | day of month
            0 0 ? * 1      | day of month
            0 0 * * 5#2    | day of week
            1,,2 * * * *   | minute
            -1 * * * *     | minute
            +1 * * * *     | minute
            99999999999 * * * * | minute
            @reboot        | @daily
            """)
    void what_is_no_crontab_is_refused_with_what_to_do(String expression, String told) {
        assertThatThrownBy(() -> Schedule.cron(expression, ZoneOffset.UTC))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(told);
    }

    @Test
    void an_interval_counts_from_1970_and_not_from_a_start() {
        Schedule schedule = Schedule.every(Duration.ofMinutes(5));

        assertThat(schedule.next(Instant.parse("2026-05-01T10:02:13.5Z"))).isEqualTo("2026-05-01T10:05:00Z");
        assertThat(schedule.next(Instant.parse("2026-05-01T10:05:00Z"))).isEqualTo("2026-05-01T10:10:00Z");
        assertThat(Schedule.parse(schedule.expression(), "Z").next(Instant.EPOCH))
                .isEqualTo("1970-01-01T00:05:00Z");
        assertThatThrownBy(() -> Schedule.every(Duration.ofMillis(999))).hasMessageContaining("at least a second");
    }

    /**
     * Every due time between two instants, as local time and offset: Berlin's hour, Cairo's midnight, Lord Howe's half hour, the day
     * that Apia left out, and Troll's two hours.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            30 2 * * *    | Europe/Berlin      | 2026-03-28T12:00Z | 2026-03-30T12:00Z | 2026-03-29T03:00+02:00 2026-03-30T02:30+02:00
            0,30 2,3 * * *| Europe/Berlin      | 2026-03-28T12:00Z | 2026-03-29T12:00Z | 2026-03-29T03:00+02:00 2026-03-29T03:30+02:00
            */20 2 * * *  | Europe/Berlin      | 2026-03-28T12:00Z | 2026-03-29T12:00Z | 2026-03-29T03:00+02:00
            30 2 * * *    | Europe/Berlin      | 2026-10-24T12:00Z | 2026-10-26T12:00Z | 2026-10-25T02:30+02:00 2026-10-26T02:30+01:00
            */30 * * * *  | Europe/Berlin      | 2026-10-24T23:59Z | 2026-10-25T02:00Z | 2026-10-25T02:00+02:00 2026-10-25T02:30+02:00 2026-10-25T02:00+01:00 2026-10-25T02:30+01:00 2026-10-25T03:00+01:00
            */30 * * * *  | Europe/Berlin      | 2026-03-29T00:15Z | 2026-03-29T01:30Z | 2026-03-29T01:30+01:00 2026-03-29T03:00+02:00 2026-03-29T03:30+02:00
            15 */2 * * *  | Europe/Berlin      | 2026-10-24T23:59Z | 2026-10-25T04:00Z | 2026-10-25T02:15+02:00 2026-10-25T02:15+01:00 2026-10-25T04:15+01:00
            15 */2 * * *  | Europe/Berlin      | 2026-03-28T23:00Z | 2026-03-29T02:30Z | 2026-03-29T00:15+01:00 2026-03-29T04:15+02:00
            0 0 * * *     | Africa/Cairo       | 2026-04-23T12:00Z | 2026-04-25T12:00Z | 2026-04-24T01:00+03:00 2026-04-25T00:00+03:00
            @daily        | Africa/Cairo       | 2026-10-29T12:00Z | 2026-10-30T23:00Z | 2026-10-30T00:00+02:00 2026-10-31T00:00+02:00
            15 2 * * *    | Australia/Lord_Howe| 2026-10-03T00:00Z | 2026-10-04T20:00Z | 2026-10-04T02:30+11:00 2026-10-05T02:15+11:00
            45 1 * * *    | Australia/Lord_Howe| 2026-04-04T00:00Z | 2026-04-05T20:00Z | 2026-04-05T01:45+11:00 2026-04-06T01:45+10:30
            */15 * * * *  | Australia/Lord_Howe| 2026-04-04T14:35Z | 2026-04-04T15:30Z | 2026-04-05T01:45+11:00 2026-04-05T01:30+10:30 2026-04-05T01:45+10:30 2026-04-05T02:00+10:30
            0 6 * * *     | Pacific/Apia       | 2011-12-29T12:00Z | 2011-12-31T20:00Z | 2011-12-29T06:00-10:00 2011-12-31T00:00+14:00 2011-12-31T06:00+14:00 2012-01-01T06:00+14:00
            0 */12 * * *  | Pacific/Apia       | 2011-12-29T12:00Z | 2011-12-31T00:00Z | 2011-12-29T12:00-10:00 2011-12-31T00:00+14:00 2011-12-31T12:00+14:00
            0 0 30 * *    | Pacific/Apia       | 2011-12-01T12:00Z | 2012-01-31T00:00Z | 2011-12-31T00:00+14:00 2012-01-30T00:00+14:00
            0 2 * * *     | Antarctica/Troll   | 2026-03-28T12:00Z | 2026-03-30T12:00Z | 2026-03-29T03:00+02:00 2026-03-30T02:00+02:00
            30 1,2 * * *  | Antarctica/Troll   | 2026-10-24T12:00Z | 2026-10-25T12:00Z | 2026-10-25T01:30+02:00 2026-10-25T02:30+02:00
            0 * * * *     | Antarctica/Troll   | 2026-10-24T22:30Z | 2026-10-25T03:00Z | 2026-10-25T01:00+02:00 2026-10-25T02:00+02:00 2026-10-25T01:00Z 2026-10-25T02:00Z 2026-10-25T03:00Z
            """)
    void clocks_may_change(String expression, String zone, String after, String until, String due) {
        Schedule schedule = Schedule.cron(expression, ZoneId.of(zone));
        List<String> found = new ArrayList<>();
        Instant instant = schedule.next(instant(after));
        while (!instant.isAfter(instant(until))) {
            found.add(instant.atZone(ZoneId.of(zone)).toOffsetDateTime().toString());
            instant = schedule.next(instant);
        }

        assertThat(found).containsExactly(due.strip().split(" +"));
    }

    private static Instant instant(String text) {
        return Instant.parse(text.replace("Z", ":00Z"));
    }
}
