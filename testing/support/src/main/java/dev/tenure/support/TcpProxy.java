// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands between clients and one server on this machine. What passes, and when, is up to two carriers. */
public final class TcpProxy implements AutoCloseable {
    /** One direction of a connection. */
    @FunctionalInterface
    public interface Carrier {
        /** Carries bytes until the input ends; then both directions are closed. Called once for each connection, on a thread of its own. */
        void carry(InputStream in, OutputStream out) throws IOException, InterruptedException;
    }

    private final ServerSocket listening;
    private final int serverPort;
    private final Carrier requests;
    private final Carrier answers;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private volatile boolean refusing;

    public TcpProxy(int serverPort, Carrier requests, Carrier answers) {
        this.serverPort = serverPort;
        this.requests = requests;
        this.answers = answers;
        try {
            this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        daemon(this::accept);
    }

    public int port() {
        return listening.getLocalPort();
    }

    public String address() {
        return "127.0.0.1:" + port();
    }

    public boolean isUsed() {
        return !open.isEmpty();
    }

    /** New connections are reset. */
    public void refuse() {
        refusing = true;
    }

    /** New connections work again. */
    public void admit() {
        refusing = false;
    }

    /** All connections are reset; new ones are not affected. */
    public void resetConnections() {
        for (Socket socket : openNow()) {
            reset(socket);
        }
    }

    /** All connections are closed; new ones are not affected. */
    public void closeConnections() {
        openNow().forEach(TcpProxy::close);
    }

    /** All connections end in order, without an error, as when a server goes that has nothing more to say. */
    public void finishConnections() {
        for (Socket socket : openNow()) {
            try {
                socket.shutdownOutput();
            } catch (IOException gone) {
                close(socket);
            }
        }
    }

    /** Not all that follow: a client may be back already, and is not to be forgotten. */
    private List<Socket> openNow() {
        List<Socket> now = List.copyOf(open);
        open.removeAll(now);
        return now;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                join(listening.accept());
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void join(Socket client) {
        if (refusing) {
            reset(client);
            return;
        }
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            open.add(client);
            open.add(server);
            if (refusing) {
                resetConnections(); // refused in between, by a caller that has not seen this one
                return;
            }
            daemon(() -> carry(requests, client, server));
            daemon(() -> carry(answers, server, client));
        } catch (IOException serverIsDown) {
            close(client);
        }
    }

    private void carry(Carrier carrier, Socket from, Socket to) {
        try (from;
                to) {
            carrier.carry(from.getInputStream(), to.getOutputStream());
        } catch (IOException broken) {
            return;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException closed) {
            return;
        }
        close(socket);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException gone) {
            return;
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } finally {
            closeConnections();
        }
    }
}
