// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Free ports of the loopback address, below the range from which the kernel takes ports of outgoing connections: a server that
 * is started again must find its ports free, whatever else the machine does meanwhile. For the same reason a JVM is given a port
 * once only: tests run beside each other, and a server that is down at the moment still needs its port.
 */
public final class Ports {
    private static final int LOWEST = 15_000;
    private static final int COUNT = 17_000;
    private static final int TRIES_MAX = 100;

    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private Ports() {}

    public static int free() {
        return free(1).get(0);
    }

    public static List<Integer> free(int count) {
        List<ServerSocket> held = new ArrayList<>(); // until all are found, so that none is found twice
        try {
            try {
                for (int i = 0; i < count; i++) {
                    held.add(bind());
                }
                return held.stream().map(ServerSocket::getLocalPort).toList();
            } finally {
                for (ServerSocket socket : held) {
                    socket.close();
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A port where connections are refused until it is closed: it is taken, and nobody listens. */
    public static Socket refusing() {
        Socket bound = new Socket();
        try {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return bound;
    }

    private static ServerSocket bind() throws IOException {
        for (int tries = 1; ; tries++) {
            try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                int port = LOWEST + any.getLocalPort() % COUNT;
                ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                if (GIVEN.add(port)) {
                    return socket;
                }
                socket.close();
            } catch (BindException taken) {
                if (tries >= TRIES_MAX) {
                    throw taken;
                }
            }
        }
    }
}
