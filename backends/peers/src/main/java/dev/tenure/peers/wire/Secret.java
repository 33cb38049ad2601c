package dev.tenure.peers.wire;

import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What the members of a group know and nobody else. Only its seals leave the process (HMAC-SHA256). */
public final class Secret {
    public static final int BYTES_MIN = 16;
    static final int SEAL_BYTES = 32;
    private static final String HMAC = "HmacSHA256";
    /** Where the group has no secret the same steps are made with this one, which everybody knows. */
    private static final byte[] PUBLIC = new byte[SEAL_BYTES];

    private final byte[] key;
    private final boolean known;

    private Secret(byte[] key, boolean known) {
        this.key = key;
        this.known = known;
    }

    public static Secret of(byte[] bytes) {
        if (bytes.length < BYTES_MIN) {
            throw new IllegalArgumentException("a secret of " + bytes.length + " bytes can be guessed: at least "
                    + BYTES_MIN + " are needed, as from: openssl rand -hex 32");
        }
        return new Secret(bytes.clone(), false);
    }

    public static Secret none() {
        return new Secret(PUBLIC, true);
    }

    /** Is there no secret at all? */
    boolean isNone() {
        return known;
    }

    /** A secret for one purpose, made from this one. */
    Secret derived(String purpose, byte[] context) {
        return new Secret(sealed(purpose, context), known);
    }

    byte[] sealed(String purpose, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            mac.update(purpose.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            mac.update((byte) 0);
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (NoSuchAlgorithmException | InvalidKeyException impossible) {
            throw new IllegalStateException("every Java platform has " + HMAC, impossible);
        }
    }

    /** Takes the same time whatever differs. */
    static boolean same(byte[] one, byte[] other) {
        return MessageDigest.isEqual(one, other);
    }

    @Override
    public String toString() {
        return known ? "no secret" : "a secret"; // never itself
    }
}
