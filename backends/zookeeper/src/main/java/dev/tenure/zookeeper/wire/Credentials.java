package dev.tenure.zookeeper.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** As whom a client speaks. Never shown. */
public final class Credentials {
    private static final int XID = -4;

    private final Scheme scheme;
    private final String user;
    private final String password;

    private enum Scheme {
        NOBODY,
        DIGEST,
        SASL
    }

    private Credentials(Scheme scheme, String user, String password) {
        this.scheme = scheme;
        this.user = user;
        this.password = password;
    }

    public static Credentials nobody() {
        return new Credentials(Scheme.NOBODY, "", "");
    }

    public static Credentials digest(String user, String password) {
        return new Credentials(Scheme.DIGEST, user, password);
    }

    public static Credentials sasl(String user, String password) {
        return new Credentials(Scheme.SASL, user, password);
    }

    /** What is said right after the greeting; servers answer it only if they know no such scheme. */
    Optional<ByteBuffer> introduction() {
        if (scheme != Scheme.DIGEST) {
            return Optional.empty();
        }
        byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        return Optional.of(
                Ask.frame(XID, OpType.AUTH, out -> out.number(0).text("digest").data(pair)));
    }

    static boolean isAnswer(int xid) {
        return xid == XID;
    }

    Optional<SaslDialog> dialog() {
        return scheme == Scheme.SASL ? Optional.of(new SaslDialog(user, password)) : Optional.empty();
    }
}
