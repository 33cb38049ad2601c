package dev.tenure.patterns;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When a job is due: a crontab expression in a zone, or an interval. Pure: the same instant always gives the same answer.
 *
 * <p>When clocks change, an expression whose hour is {@code *} or has a step is an <em>interval job</em>: it runs by real time, as if the
 * clock had been looked at every minute. Every other one is a <em>wall-clock job</em>: a time that does not exist is due at the first
 * instant after the gap, and a time that exists twice is due once, the first time.
 */
public final class Schedule {
    private static final String EVERY = "@every ";
    private static final Duration EVERY_MIN = Duration.ofSeconds(1);
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
    private final @Nullable Fields fields;
    private final long everyMillis;

    private Schedule(String expression, ZoneId zone, @Nullable Fields fields, long everyMillis) {
        this.expression = expression;
        this.zone = zone;
        this.fields = fields;
        this.everyMillis = everyMillis;
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
        if (spelt.startsWith("@")) {
            throw new IllegalArgumentException("'" + text + "' is not a schedule; there are "
                    + NICKNAMES.keySet().stream().sorted().toList());
        }
        Fields fields = Fields.parse(spelt);
        if (fields.atOrAfter(LocalDateTime.of(2000, 1, 1, 0, 0)).isEmpty()) {
            throw new IllegalArgumentException("'" + text + "' is never due: no year has such a day");
        }
        return new Schedule(text, zone, fields, 0);
    }

    /**
     * By real time: each multiple of this duration since 1970-01-01T00:00Z, so that the times do not depend on when a process was
     * started.
     *
     * @throws IllegalArgumentException if it is less than a second, or not whole milliseconds
     */
    public static Schedule every(Duration interval) {
        Objects.requireNonNull(interval, "interval is null: say how often");
        if (interval.compareTo(EVERY_MIN) < 0 || interval.toNanosPart() % 1_000_000 != 0) {
            throw new IllegalArgumentException(
                    "an interval of " + interval + " cannot be had: at least a second, in whole milliseconds");
        }
        return new Schedule(EVERY + interval, ZoneOffset.UTC, null, interval.toMillis());
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
        Fields cron = fields;
        if (cron == null) {
            return Instant.ofEpochMilli((Math.floorDiv(after.toEpochMilli(), everyMillis) + 1) * everyMillis);
        }
        return cron.byRealTime() ? nextByRealTime(cron, after) : nextByWallClock(cron, after);
    }

    /** Local times in order give instants in order: a gap maps to its end, and an overlap to its first passage. */
    private Instant nextByWallClock(Fields cron, Instant after) {
        ZoneRules rules = zone.getRules();
        LocalDateTime from = LocalDateTime.ofInstant(after, zone).withSecond(0).withNano(0);
        while (true) {
            LocalDateTime local = cron.existing(from);
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
    private Instant nextByRealTime(Fields cron, Instant after) {
        ZoneRules rules = zone.getRules();
        Instant begin = after;
        while (true) {
            ZoneOffset offset = rules.getOffset(begin);
            LocalDateTime from = LocalDateTime.ofInstant(begin, offset);
            LocalDateTime minute = from.withSecond(0).withNano(0);
            boolean itself = minute.equals(from) && begin.isAfter(after);
            Instant due = cron.existing(itself ? minute : minute.plusMinutes(1)).toInstant(offset);
            ZoneOffsetTransition change = rules.nextTransition(begin);
            if (change == null || due.isBefore(change.getInstant())) {
                return due;
            }
            begin = change.getInstant();
        }
    }

    @Override
    public String toString() {
        return fields == null ? expression : expression + " " + zone;
    }

    /** The five fields, without a zone. */
    private record Fields(
            BitSet minutes, BitSet hours, BitSet monthDays, BitSet months, BitSet weekDays, DayRule days) {
        private static final List<String> MONTHS =
                List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
        private static final List<String> DAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");

        /** How day of month and day of week go together, and whether the hour is an interval. */
        private record DayRule(boolean either, boolean byRealTime) {}

        static Fields parse(String text) {
            String[] parts = text.split("\\s+");
            if (parts.length != 5) {
                throw new IllegalArgumentException("'" + text + "' has " + parts.length
                        + " fields; a crontab has five: minute, hour, day of month, month, day of week");
            }
            BitSet weekDays = field(text, parts[4], "day of week", 0, 7, DAYS);
            if (weekDays.get(7)) { // both are Sunday
                weekDays.set(0);
                weekDays.clear(7);
            }
            return new Fields(
                    field(text, parts[0], "minute", 0, 59, List.of()),
                    field(text, parts[1], "hour", 0, 23, List.of()),
                    field(text, parts[2], "day of month", 1, 31, List.of()),
                    field(text, parts[3], "month", 1, 12, MONTHS),
                    weekDays,
                    new DayRule(
                            !parts[2].startsWith("*") && !parts[4].startsWith("*"),
                            parts[1].contains("*") || parts[1].contains("/")));
        }

        private static BitSet field(String all, String text, String what, int min, int max, List<String> names) {
            BitSet set = new BitSet();
            for (String item : text.split(",", -1)) {
                try {
                    add(set, item.toLowerCase(Locale.ROOT), min, max, names);
                } catch (IllegalArgumentException wrong) {
                    throw new IllegalArgumentException("'" + all + "': '" + item + "' is not a " + what + " from " + min
                            + " to " + max + ", a range such as " + min + "-" + max + ", * or a step such as */5"
                            + (wrong instanceof NumberFormatException ? "" : " (" + wrong.getMessage() + ")"));
                }
            }
            return set;
        }

        private static void add(BitSet set, String item, int min, int max, List<String> names) {
            String[] stepped = item.split("/", 2);
            int step = stepped.length == 1 ? 1 : number(stepped[1]);
            int first = min;
            int last = names == DAYS ? 6 : max;
            if (!stepped[0].equals("*")) {
                String[] range = stepped[0].split("-", 2);
                first = value(range[0], min, names);
                last = range.length == 1 ? first : value(range[1], min, names);
                if (range.length == 1 && stepped.length == 2) {
                    throw new IllegalArgumentException(
                            "a step needs a range: " + range[0] + "-" + max + "/" + stepped[1]);
                }
            }
            if (first < min || last > max || first > last || step < 1) {
                throw new IllegalArgumentException(first > last ? "its range ends before it begins" : "out of bounds");
            }
            for (int value = first; value <= last; value += step) {
                set.set(value);
            }
        }

        private static int value(String text, int min, List<String> names) {
            int name = names.indexOf(text);
            return name >= 0 ? name + min : number(text);
        }

        private static int number(String text) {
            if (text.isEmpty() || text.length() > 3 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
                throw new NumberFormatException(text);
            }
            return Integer.parseInt(text);
        }

        boolean byRealTime() {
            return days.byRealTime;
        }

        /** There is one: this was checked when it was made. */
        LocalDateTime existing(LocalDateTime from) {
            return atOrAfter(from).orElseThrow();
        }

        Optional<LocalDateTime> atOrAfter(LocalDateTime from) {
            Optional<LocalDateTime> today = fits(from.toLocalDate())
                    ? timeAtOrAfter(from.toLocalDate(), from.getHour(), from.getMinute())
                    : Optional.empty();
            if (today.isPresent()) {
                return today;
            }
            LocalDate day = from.toLocalDate().plusDays(1);
            LocalDate end = day.plusYears(CYCLE_YEARS);
            while (day.isBefore(end)) {
                if (!months.get(day.getMonthValue())) {
                    day = YearMonth.from(day).plusMonths(1).atDay(1);
                } else if (fits(day)) {
                    return timeAtOrAfter(day, 0, 0);
                } else {
                    day = day.plusDays(1);
                }
            }
            return Optional.empty();
        }

        private Optional<LocalDateTime> timeAtOrAfter(LocalDate day, int hour, int minute) {
            int sameHour = hours.get(hour) ? minutes.nextSetBit(minute) : -1;
            if (sameHour >= 0) {
                return Optional.of(day.atTime(hour, sameHour));
            }
            int later = hours.nextSetBit(hour + 1);
            return later < 0 ? Optional.empty() : Optional.of(day.atTime(later, minutes.nextSetBit(0)));
        }

        private boolean fits(LocalDate day) {
            boolean monthDay = monthDays.get(day.getDayOfMonth());
            boolean weekDay = weekDays.get(
                    day.getDayOfWeek() == DayOfWeek.SUNDAY
                            ? 0
                            : day.getDayOfWeek().getValue());
            return months.get(day.getMonthValue()) && (days.either ? monthDay || weekDay : monthDay && weekDay);
        }
    }
}
