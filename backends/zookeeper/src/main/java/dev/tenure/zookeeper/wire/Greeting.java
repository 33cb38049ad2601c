package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.nio.ByteBuffer;

/** How a server lets a client in. Never shown: whoever knows the password can end the session. */
final class Greeting {
    private static final int PROTOCOL = 0;
    private static final int PASSWORD_BYTES = 16;

    private final int timeoutMillis;
    private final long sessionId;
    private final byte[] password;

    private Greeting(int timeoutMillis, long sessionId, byte[] password) {
        this.timeoutMillis = timeoutMillis;
        this.sessionId = sessionId;
        this.password = password;
    }

    /** Before the first one: no session yet. */
    static Greeting none(int wantedMillis) {
        return new Greeting(wantedMillis, 0, new byte[PASSWORD_BYTES]);
    }

    static Greeting read(RecordReader in) throws IOException {
        in.number(); // the protocol, of which there is only one
        int timeoutMillis = in.number();
        long sessionId = in.longNumber();
        return new Greeting(timeoutMillis, sessionId, in.data());
    }

    /** Asks to be let in, with the session that this greeting began. */
    ByteBuffer request(long lastZxid, int wantedMillis) {
        return new RecordWriter()
                .number(PROTOCOL)
                .longNumber(lastZxid)
                .number(wantedMillis)
                .longNumber(sessionId)
                .data(password)
                .flag(false)
                .frame();
    }

    /** What the server grants. */
    int timeoutMillis() {
        return timeoutMillis;
    }

    long sessionId() {
        return sessionId;
    }

    /** The server knows no such session. */
    boolean isRefusal() {
        return timeoutMillis <= 0;
    }
}
