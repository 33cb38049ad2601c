// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.support.TcpProxy;
import dev.tenure.zookeeper.ensemble.Server;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands between one client and one server, and shows each request to the test before the server gets it. */
final class RequestProxy implements AutoCloseable {
    /** Kinds of requests, in the numbers of ZooKeeper's protocol. */
    static final int DELETE = 2;

    static final int GET_DATA = 4;

    private static final int KIND_AT = Integer.BYTES;

    private final TcpProxy proxy;
    private final AtomicInteger greetings = new AtomicInteger();
    private volatile Filter filter = (kind, request) -> true;

    /** Called on the threads of the proxy. */
    interface Filter {
        /**
         * @param request may be changed
         * @return false if the connection is to break, before the server gets this request
         */
        boolean passes(int kind, byte[] request);
    }

    RequestProxy(Server server) {
        proxy = new TcpProxy(server.port(), this::carryRequests, InputStream::transferTo);
    }

    String address() {
        return proxy.address();
    }

    void filter(Filter now) {
        filter = now;
    }

    /** How often a client has connected. */
    int greetings() {
        return greetings.get();
    }

    private void carryRequests(InputStream in, OutputStream out) throws IOException {
        DataInputStream requests = new DataInputStream(in);
        for (boolean greeted = false; ; greeted = true) {
            byte[] request = requests.readNBytes(requests.readInt());
            if (!greeted) {
                greetings.incrementAndGet();
            } else if (!filter.passes(ByteBuffer.wrap(request).getInt(KIND_AT), request)) {
                return; // which closes both directions
            }
            out.write(ByteBuffer.allocate(Integer.BYTES + request.length)
                    .putInt(request.length)
                    .put(request)
                    .array());
            out.flush();
        }
    }

    @Override
    public void close() {
        proxy.close();
    }
}
