// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Where a key lives: its kind and a hash of all of it. Keys can be longer than a file name may be and differ only in ways
 * that a file system folds; the full key stands in the record, and a mismatch is refused.
 */
record RecordKey(String kind, String hash) {
    /** Every letter: which of them are in use is not known here. */
    static final List<String> KINDS =
            IntStream.rangeClosed('a', 'z').mapToObj(Character::toString).toList();

    static final Pattern NAME = Pattern.compile("([a-z])-([0-9a-f]{32})");
    private static final Pattern KEY = Pattern.compile("[a-z](/[!-.0-~]{1,698})?");
    private static final int HASH_BYTES = 16;

    static RecordKey of(String key) {
        if (!KEY.matcher(key).matches()) {
            throw new IllegalArgumentException("'" + key
                    + "' is not a key: a letter, or a letter, a slash and one segment of ASCII, 700 characters in all");
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.US_ASCII));
            return new RecordKey(key.substring(0, 1), HexFormat.of().formatHex(digest, 0, HASH_BYTES));
        } catch (NoSuchAlgorithmException everyJvmHasIt) {
            throw new IllegalStateException(everyJvmHasIt);
        }
    }

    /** Does a watch or a list of this prefix concern this kind of record? */
    static boolean concerns(String prefix, String kind) {
        return prefix.isEmpty() || prefix.startsWith(kind);
    }

    /** A record about the whole store, such as its era, must survive a power loss word for word; no other has to. */
    boolean isDurable() {
        return equals(of(kind));
    }

    @Override
    public String toString() {
        return kind + "-" + hash;
    }
}
