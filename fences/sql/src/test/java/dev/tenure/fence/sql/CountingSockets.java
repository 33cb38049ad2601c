// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.SocketFactory;

/** Sockets which remember the types of the messages that PostgreSQL's driver sends; each element was sent at once. */
public final class CountingSockets extends SocketFactory {
    /** For whoever counts: there is one list for all. */
    static final String NAME = "dev.tenure.fence.sql.CountingSockets";

    private static final List<String> SENT = new CopyOnWriteArrayList<>();

    /** What was sent since it was asked last, one letter for each message. */
    static List<String> sent() {
        List<String> sent = List.copyOf(SENT);
        SENT.clear();
        return new ArrayList<>(sent);
    }

    @Override
    public Socket createSocket() {
        return new Socket() {
            @Override
            public OutputStream getOutputStream() throws IOException {
                return new Noting(super.getOutputStream());
            }
        };
    }

    private static final class Noting extends FilterOutputStream {
        Noting(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            SENT.add(types(ByteBuffer.wrap(bytes, offset, length)));
            out.write(bytes, offset, length);
        }

        /** A letter, and a length that counts itself. What comes before a login has no letter, and does not matter. */
        private static String types(ByteBuffer messages) {
            StringBuilder types = new StringBuilder();
            while (messages.remaining() >= 5) {
                types.append((char) messages.get());
                int rest = messages.getInt() - 4;
                messages.position(messages.position() + Math.max(0, Math.min(rest, messages.remaining())));
            }
            return types.toString();
        }
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }
}
