package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which lock belongs to which election. A lock has no name, only a number of 64 bits that everybody in the database shares:
 * that two names meet in one is next to impossible, and is noticed, because the row of an election tells its lock. Any thread.
 */
final class LockKeys {
    /** A process with few elections takes each of them by itself, and then a digest takes its time; many go together. */
    private static final int KNOWN_MAX = 256;

    private final String table;
    private final Map<ElectionName, Long> known = new ConcurrentHashMap<>();

    /** @param table with its schema, as the server resolved it: two tables never share a lock */
    LockKeys(String table) {
        this.table = table;
    }

    long of(ElectionName election) {
        Long remembered = known.get(election);
        if (remembered != null) {
            return remembered;
        }
        long key = digest("tenure advisory 1\n" + table + "\n" + election.encoded());
        if (known.size() < KNOWN_MAX) {
            known.put(election, key);
        }
        return key;
    }

    static long digest(String text) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return ByteBuffer.wrap(sha.digest(text.getBytes(StandardCharsets.UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JVM has SHA-256", impossible);
        }
    }
}
