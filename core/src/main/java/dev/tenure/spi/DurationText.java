// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 500ms}, {@code 10s}, {@code 1m}, {@code 2h}, {@code 7d}. */
public final class DurationText {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,12})(ms|s|m|h|d)");

    private static final Duration LONGEST = Duration.ofDays(36_500);

    private DurationText() {}

    /** @param what names the setting in the message, such as {@code --ttl} */
    public static Duration parse(String what, String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(what + " '" + text
                    + "' is not a duration: write a number and a unit, such as 500ms, 10s, 1m, 2h or 7d");
        }
        long amount = Long.parseLong(form.group(1));
        Duration duration = switch (form.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
        if (duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(what + " '" + text + "' is longer than " + LONGEST.toDays() + "d");
        }
        return duration;
    }

    /** The shortest spelling that {@link #parse} reads back, to the millisecond. */
    public static String format(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        return seconds % 3600 == 0 ? seconds / 3600 + "h" : seconds / 60 + "m";
    }

    /** As nanoseconds; a wait longer than a century is as good as one without end, and does not overflow. */
    public static long nanos(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }
}
