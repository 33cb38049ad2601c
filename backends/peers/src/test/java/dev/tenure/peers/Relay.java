package dev.tenure.peers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A line between two members that a test can cut. While it is cut nothing passes, and nobody is told: packets are just lost. */
final class Relay implements AutoCloseable {
    private static final int BUFFER_BYTES = 8192;

    private final ServerSocket server;
    private final int target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    Relay(int target) {
        this.target = target;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** What is under way is lost; connections stay open, and are silent. */
    void cut() {
        cut = true;
    }

    /** Whoever was silent begins anew. */
    void heal() {
        open.forEach(Relay::close);
        cut = false;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket near = server.accept();
                open.add(near);
                if (!cut) {
                    Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
                    open.add(far);
                    start(() -> pump(near, far));
                    start(() -> pump(far, near));
                }
            } catch (IOException refused) {
                open.forEach(socket -> {
                    if (socket.isInputShutdown()) {
                        close(socket);
                    }
                });
            }
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int length = in.read(buffer);
            while (length >= 0) {
                if (!cut) {
                    out.write(buffer, 0, length);
                }
                length = in.read(buffer);
            }
        } catch (IOException ended) {
            // both sides are closed by now
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException gone) {
            // it is what was wanted
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException gone) {
            // it is what was wanted
        }
        open.forEach(Relay::close);
    }
}
