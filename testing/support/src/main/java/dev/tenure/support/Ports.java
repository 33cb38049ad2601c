package dev.tenure.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Free ports of the loopback address, below the range from which the kernel takes ports of outgoing connections: a server that
 * is started again must find its ports free, whatever else the machine does meanwhile.
 */
public final class Ports {
    private static final int LOWEST = 15_000;
    private static final int COUNT = 17_000;
    private static final int TRIES_MAX = 100;

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

    private static ServerSocket bind() throws IOException {
        for (int tries = 1; ; tries++) {
            try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                int port = LOWEST + any.getLocalPort() % COUNT;
                return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
            } catch (BindException taken) {
                if (tries == TRIES_MAX) {
                    throw taken;
                }
            }
        }
    }
}
