// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.local.MachineClock.ClockReading;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * What a value file says. Text, so that an operator can read it with {@code cat}; the sum at the end covers every byte
 * before it, so that half a file, or a file of zeros, is never taken for a record.
 *
 * <pre>
 * tenure local 1
 * key c/billing
 * version 7:b7f12315-3fa94c0d11e2a6b7
 * written b7f12315-7281-43ae-b49c-fe70c0120d2b 4026531834 964350
 * ttl 10000
 * length 42
 *
 * …the value, 42 bytes of UTF-8…
 * sum 1c291ca3
 * </pre>
 *
 * @param written empty where the machine has no clock that all its processes share
 */
record RecordFile(
        String key, Version version, Optional<ClockReading> written, Optional<Duration> timeToLive, String value) {
    static final int BYTES_MAX = 1 << 20;
    static final String MAGIC = "tenure local 1";
    static final Duration TTL_MIN = Duration.ofMillis(1);
    static final Duration TTL_MAX = Duration.ofHours(24);
    private static final int SUM_BYTES = "\nsum 00000000\n".length();
    private static final Pattern HEAD = Pattern.compile(MAGIC + "\n"
            + "key ([!-~]{1,700})\n"
            + "version ([0-9]{1,18}:[0-9a-f]{8}-[0-9a-f]{16})\n"
            + "written (-|([0-9a-f-]{36}) ([0-9]{1,20}) ([0-9]{1,15}))\n"
            + "ttl (-|[0-9]{1,9})\n"
            + "length ([0-9]{1,7})\n\n");

    /** The file is not whole, or not ours. */
    static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1L;

        Unreadable(String why) {
            super(why);
        }
    }

    byte[] encode() {
        byte[] text = value.getBytes(StandardCharsets.UTF_8);
        String stamp = written.map(at -> at.bootId() + " " + at.timeNamespace() + " " + at.uptimeMillis())
                .orElse("-");
        String ttl = timeToLive.map(life -> Long.toString(life.toMillis())).orElse("-");
        byte[] head = (MAGIC + "\nkey " + key + "\nversion " + version + "\nwritten " + stamp + "\nttl " + ttl
                        + "\nlength " + text.length + "\n\n")
                .getBytes(StandardCharsets.US_ASCII);
        ByteBuffer file = ByteBuffer.allocate(head.length + text.length + SUM_BYTES);
        file.put(head).put(text).put((byte) '\n');
        String sum = String.format(Locale.ROOT, "sum %08x\n", sum(file.array(), file.position()));
        return file.put(sum.getBytes(StandardCharsets.US_ASCII)).array();
    }

    static RecordFile decode(byte[] file) throws Unreadable {
        String bytes = new String(file, StandardCharsets.ISO_8859_1);
        Matcher head = HEAD.matcher(bytes);
        if (!head.lookingAt()) {
            throw new Unreadable(file.length == 0 ? "it is empty" : "it does not begin like a record");
        }
        int length = Integer.parseInt(head.group(8));
        if (file.length != head.end() + length + SUM_BYTES) {
            throw new Unreadable("it has " + file.length + " bytes instead of " + (head.end() + length + SUM_BYTES));
        }
        int summed = file.length - SUM_BYTES + 1;
        if (!bytes.substring(summed - 1).equals(String.format(Locale.ROOT, "\nsum %08x\n", sum(file, summed)))) {
            throw new Unreadable("its checksum does not match");
        }
        Optional<ClockReading> written = head.group(3).equals("-")
                ? Optional.empty()
                : Optional.of(new ClockReading(head.group(4), head.group(5), Long.parseLong(head.group(6))));
        return new RecordFile(
                head.group(1),
                Version.parse(head.group(2)),
                written,
                ttl(head.group(7)),
                utf8(file, head.end(), length));
    }

    private static Optional<Duration> ttl(String text) throws Unreadable {
        if (text.equals("-")) {
            return Optional.empty();
        }
        Duration ttl = Duration.ofMillis(Long.parseLong(text));
        if (!isTtl(ttl)) {
            throw new Unreadable("its time to live of " + text + " ms cannot be");
        }
        return Optional.of(ttl);
    }

    static boolean isTtl(Duration ttl) {
        return ttl.compareTo(TTL_MIN) >= 0 && ttl.compareTo(TTL_MAX) <= 0;
    }

    private static String utf8(byte[] file, int from, int length) throws Unreadable {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(file, from, length))
                    .toString();
        } catch (CharacterCodingException notText) {
            throw new Unreadable("its value is not UTF-8");
        }
    }

    private static long sum(byte[] bytes, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, length);
        return sum.getValue();
    }

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
}
