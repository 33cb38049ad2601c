// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.spi.support.EraRecord;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * How a Lease is called. An election whose name Kubernetes allows is called by it. Any other name is written readably, as far as that
 * goes, with 80 bits of its hash behind; the whole name stands in an annotation and is compared, so that two elections never share a Lease.
 */
final class LeaseNames {
    private static final String OURS = "tenure-";
    /** Store id and era of the namespace; the same in both modes. */
    static final String ERA = OURS + "era";

    /** What the Leases of sessions begin with. */
    static final String SESSION = OURS + "s-";

    private static final Pattern ALLOWED =
            Pattern.compile("(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");
    private static final int READABLE_MAX = 60;
    private static final int HASH_BYTES = 10;
    private static final int HASH_DIGITS = 16;

    private LeaseNames() {}

    static String of(ElectionName election) {
        String name = election.value();
        boolean plain = ALLOWED.matcher(name).matches() && !name.startsWith(OURS);
        return plain ? name : OURS + "election-" + readable(name);
    }

    /** @param key of a record, of which the first letter is its kind */
    static String ofKey(String key) {
        return key.equals(EraRecord.KEY) ? ERA : OURS + key.charAt(0) + "-" + readable(key.replaceFirst("^./?", ""));
    }

    private static String readable(String name) {
        String slug = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        String shortened =
                slug.substring(0, Math.min(slug.length(), READABLE_MAX)).replaceAll("^-|-$", "");
        return (shortened.isEmpty() ? "" : shortened + "-") + hash(name);
    }

    private static String hash(String name) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            String digits = new BigInteger(1, sum, 0, HASH_BYTES).toString(32);
            return "0".repeat(HASH_DIGITS - digits.length()) + digits;
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible); // every JVM has it
        }
    }
}
