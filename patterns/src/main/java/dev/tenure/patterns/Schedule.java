// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When a job is due: a crontab expression in a zone, or an interval. Pure: the same instant always gives the same answer.
 *
 * <p>When clocks change, an expression whose hour is {@code *} or has a step is an <em>interval job</em>: it runs by real time, as if the
 * clock had been looked at every minute. Every other one is a <em>wall-clock job</em>: a time that does not exist is due at the first
 * instant after the gap, and a time that exists twice is due once, the first time.
 */
public final class Schedule {
    private static final String EVERY = "@every ";
    /** After this the calendar repeats itself: what has not been found by then does not exist. */
    private static final int CYCLE_YEARS = 400;

    private static final Map<String, String> NICKNAMES = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");

    private final String expression;
    private final ZoneId zone;
    private final UnaryOperator<Instant> next;

    private Schedule(String expression, ZoneId zone, UnaryOperator<Instant> next) {
        this.expression = expression;
        this.zone = zone;
        this.next = next;
    }

    /**
     * A crontab expression of five fields (minute, hour, day of month, month, day of week) or a name such as {@code @daily}. As in every
     * crontab, a job whose day of month and day of week are both restricted is due when either fits.
     *
     * @throws IllegalArgumentException if it is not one, or if no date will ever fit it
     */
    public static Schedule cron(String expression, ZoneId zone) {
        Objects.requireNonNull(zone, "zone is null: a crontab needs one, such as ZoneId.of(\"Europe/Berlin\")");
        String text = Objects.requireNonNull(expression, "expression is null: give one, such as 0 6 * * *")
                .strip();
        String spelt = NICKNAMES.getOrDefault(text.toLowerCase(Locale.ROOT), text);
        Fields fields = Fields.parse(spelt);
        if (fields.atOrAfter(LocalDateTime.of(2000, 1, 1, 0, 0)).isEmpty()) {
            throw new IllegalArgumentException("'" + text + "' is never due: no year has such a day");
        }
        String hour = spelt.split("\\s+")[1];
        boolean byRealTime = hour.contains("*") || hour.contains("/");
        ZoneRules rules = zone.getRules();
        return new Schedule(
                text, zone, after -> byRealTime ? byRealTime(fields, rules, after) : byWallClock(fields, rules, after));
    }

    /**
     * By real time: each multiple of this duration since 1970-01-01T00:00Z, so that the times do not depend on when a process was
     * started.
     *
     * @throws IllegalArgumentException if it is less than a second, or not whole milliseconds
     */
    public static Schedule every(Duration interval) {
        Objects.requireNonNull(interval, "interval is null: say how often");
        if (interval.toSeconds() < 1 || interval.toNanosPart() % 1_000_000 != 0) {
            throw new IllegalArgumentException(
                    "an interval of " + interval + " cannot be had: at least a second, in whole milliseconds");
        }
        long millis = interval.toMillis();
        return new Schedule(
                EVERY + interval,
                ZoneOffset.UTC,
                after -> Instant.ofEpochMilli((Math.floorDiv(after.toEpochMilli(), millis) + 1) * millis));
    }

    /** What {@link #expression()} and {@link #zone()} told. */
    static Schedule parse(String expression, String zone) {
        return expression.startsWith(EVERY)
                ? every(Duration.parse(expression.substring(EVERY.length())))
                : cron(expression, ZoneId.of(zone));
    }

    public String expression() {
        return expression;
    }

    public ZoneId zone() {
        return zone;
    }

    /** The first due time after this instant. */
    public Instant next(Instant after) {
        return next.apply(after);
    }

    /** Local times in order give instants in order: a gap maps to its end, and an overlap to its first passage. */
    private static Instant byWallClock(Fields cron, ZoneRules rules, Instant after) {
        LocalDateTime from =
                LocalDateTime.ofInstant(after, rules.getOffset(after)).truncatedTo(ChronoUnit.MINUTES);
        while (true) {
            LocalDateTime local = cron.atOrAfter(from).orElseThrow();
            ZoneOffsetTransition change = rules.getTransition(local);
            Instant due = change != null && change.isGap()
                    ? change.getInstant()
                    : local.toInstant(rules.getValidOffsets(local).get(0));
            if (due.isAfter(after)) {
                return due;
            }
            from = local.plusMinutes(1);
        }
    }

    /** From one change of clocks to the next, each part with its own offset. */
    private static Instant byRealTime(Fields cron, ZoneRules rules, Instant after) {
        Instant begin = after.truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
        while (true) {
            ZoneOffset offset = rules.getOffset(begin);
            LocalDateTime from = LocalDateTime.ofInstant(begin, offset);
            Instant due = cron.atOrAfter(from).orElseThrow().toInstant(offset);
            ZoneOffsetTransition change = rules.nextTransition(begin);
            if (change == null || due.isBefore(change.getInstant())) {
                return due;
            }
            begin = change.getInstant();
        }
    }

    @Override
    public String toString() {
        return expression.startsWith(EVERY) ? expression : expression + " " + zone;
    }

    /**
     * The five fields, without a zone.
     *
     * @param either whether a day of the month or a day of the week is enough
     */
    private record Fields(
            BitSet minutes, BitSet hours, BitSet monthDays, BitSet months, BitSet weekDays, boolean either) {
        private static final Pattern ITEM =
                Pattern.compile("([a-z]{3}|\\d{1,2})(?:-([a-z]{3}|\\d{1,2})(?:/(\\d{1,3}))?)?");
        private static final List<String> MONTHS =
                List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
        private static final List<String> DAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");

        static Fields parse(String text) {
            String[] parts = text.split("\\s+");
            if (parts.length != 5) {
                throw new IllegalArgumentException("'" + text + "' has " + parts.length
                        + " fields; a crontab has five (minute, hour, day of month, month, day of week) or is one of "
                        + NICKNAMES.keySet().stream().sorted().toList());
            }
            return new Fields(
                    field(text, parts[0], "minute", 0, 59, List.of()),
                    field(text, parts[1], "hour", 0, 23, List.of()),
                    field(text, parts[2], "day of month", 1, 31, List.of()),
                    field(text, parts[3], "month", 1, 12, MONTHS),
                    field(text, parts[4], "day of week", 0, 7, DAYS),
                    !parts[2].startsWith("*") && !parts[4].startsWith("*"));
        }

        private static BitSet field(String all, String text, String what, int min, int max, List<String> names) {
            BitSet set = new BitSet();
            for (String item : text.split(",", -1)) {
                String range = min + "-" + max;
                Matcher told = ITEM.matcher(item.toLowerCase(Locale.ROOT).replaceFirst("^\\*(?=/|$)", range));
                int first = told.matches() ? value(told.group(1), min, names) : max + 1;
                int last = told.matches() && told.group(2) != null ? value(told.group(2), min, names) : first;
                int by = told.matches() && told.group(3) != null ? Integer.parseInt(told.group(3)) : 1;
                if (first < min || last > max || first > last || by < 1) {
                    throw new IllegalArgumentException("'" + all + "': '" + item + "' is not a " + what + " from " + min
                            + " to " + max + ", a range such as " + range + " (none ends before it begins), * or a step"
                            + " such as */5 or " + range + "/5");
                }
                for (int value = first; value <= last; value += by) {
                    set.set(value);
                }
            }
            return set;
        }

        /** Less than the least for a name that there is not. */
        private static int value(String text, int min, List<String> names) {
            return Character.isDigit(text.charAt(0)) ? Integer.parseInt(text) : names.indexOf(text) + min;
        }

        /** From the first day, hour and minute that does not fit to the next one of its kind. There is none if there never is. */
        Optional<LocalDateTime> atOrAfter(LocalDateTime from) {
            LocalDateTime end = from.plusYears(CYCLE_YEARS);
            LocalDateTime at = from;
            while (at.isBefore(end)) {
                if (!fits(at.toLocalDate())) {
                    at = at.toLocalDate().plusDays(1).atStartOfDay();
                } else if (!hours.get(at.getHour())) {
                    at = at.truncatedTo(ChronoUnit.HOURS).plusHours(1);
                } else if (!minutes.get(at.getMinute())) {
                    at = at.plusMinutes(1);
                } else {
                    return Optional.of(at);
                }
            }
            return Optional.empty();
        }

        private boolean fits(LocalDate day) {
            boolean monthDay = monthDays.get(day.getDayOfMonth());
            int ofWeek = day.getDayOfWeek().getValue();
            boolean weekDay = weekDays.get(ofWeek) || weekDays.get(ofWeek % 7); // both 0 and 7 are Sunday
            return months.get(day.getMonthValue()) && (either ? monthDay || weekDay : monthDay && weekDay);
        }
    }
}
