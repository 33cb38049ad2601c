package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Which lock belongs to which election. A lock has no name, only a number of 64 bits that everybody in the database shares:
 * that two names meet in one is next to impossible, and is noticed, because the row of an election tells its lock.
 *
 * @param table with its schema, as the server resolved it: two tables never share a lock
 */
record LockKeys(String table) {
    long of(ElectionName election) {
        return digest("tenure advisory 1\n" + table + "\n" + election.encoded());
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
