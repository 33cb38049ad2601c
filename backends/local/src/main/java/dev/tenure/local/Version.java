package dev.tenure.local;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One version of a record. The number is for people and for order; what makes a version unique is the write id, which is
 * random: it does not come back when a record was deleted, also not by hand, and counts from 1 again.
 *
 * @param writeId the first eight digits of the writer's boot id, so that leftovers of an earlier boot can be told by their
 *     name, and 64 random bits
 */
record Version(long number, String writeId) {
    private static final Pattern WRITE_ID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{16}");
    private static final Pattern FILE_NAME = Pattern.compile("([0-9]{12,18})\\.(" + WRITE_ID + ")");
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,18}):(" + WRITE_ID + ")");

    static Version first(String bootTag, long random) {
        return new Version(1, writeId(bootTag, random));
    }

    Version next(String bootTag, long random) {
        return new Version(number + 1, writeId(bootTag, random));
    }

    static Version parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a version that this store gave out");
        }
        return new Version(Long.parseLong(parts.group(1)), parts.group(2));
    }

    static Optional<Version> ofFileName(String name) {
        Matcher parts = FILE_NAME.matcher(name);
        return parts.matches()
                ? Optional.of(new Version(Long.parseLong(parts.group(1)), parts.group(2)))
                : Optional.empty();
    }

    String fileName() {
        return String.format(Locale.ROOT, "%012d.%s", number, writeId);
    }

    @Override
    public String toString() {
        return number + ":" + writeId;
    }

    private static String writeId(String bootTag, long random) {
        return bootTag + "-" + String.format(Locale.ROOT, "%016x", random);
    }
}
