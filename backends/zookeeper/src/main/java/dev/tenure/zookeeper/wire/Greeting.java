package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * How a server lets a client in.
 *
 * @param timeoutMillis what it grants; nothing if it knows no such session
 */
record Greeting(int timeoutMillis, long sessionId, byte[] password) {
    private static final int PROTOCOL = 0;
    private static final byte[] NO_PASSWORD = new byte[16];

    /** Before the first one: no session yet. */
    static Greeting none(int wantedMillis) {
        return new Greeting(wantedMillis, 0, NO_PASSWORD);
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

    static Greeting read(RecordReader in) throws IOException {
        in.number(); // the protocol, of which there is only one
        int timeoutMillis = in.number();
        long sessionId = in.longNumber();
        return new Greeting(timeoutMillis, sessionId, in.data());
    }

    boolean isRefusal() {
        return timeoutMillis <= 0;
    }
}
