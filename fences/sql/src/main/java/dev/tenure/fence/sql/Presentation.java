package dev.tenure.fence.sql;

import dev.tenure.Term;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What transactions and triggers have to spell alike: a setting with the token, and the key of an advisory lock. */
final class Presentation {
    private Presentation() {}

    /** Names of settings are identifiers, and those of resources need not be. The triggers compute the same. */
    static String setting(String resource) {
        return "tenure.fence_" + md5(resource);
    }

    /** The second half of the advisory lock's key; the first is the fence's table. The triggers compute the same. */
    static int key(String resource) {
        return Integer.parseUnsignedInt(md5(resource).substring(0, 8), 16);
    }

    static String value(Term term) {
        return term.token() + "/" + term.nonce() + "/" + term.election().encoded();
    }

    static String md5(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException("every JDK has MD5", never);
        }
    }
}
