package dev.tenure.fence.sql;

import dev.tenure.Term;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** How a transaction shows its token to triggers: in a setting of its own for each resource. */
final class Presentation {
    private Presentation() {}

    /** Names of settings are identifiers, and those of resources need not be. The triggers compute the same. */
    static String setting(String resource) {
        return "tenure.fence_" + md5(resource);
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
