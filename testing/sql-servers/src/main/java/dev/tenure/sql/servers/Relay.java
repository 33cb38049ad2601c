package dev.tenure.sql.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A way to a server that can be cut: connections stay open, and nothing comes through until it heals. */
public final class Relay implements AutoCloseable {
    private static final int BYTES_AT_ONCE = 64 * 1024;

    private final ServerSocket door;
    private final int target;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private boolean cut;

    public Relay(int target) {
        this.target = target;
        try {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        daemon(this::accept);
    }

    public int port() {
        return door.getLocalPort();
    }

    public synchronized void cut() {
        cut = true;
    }

    /** What was held back comes through. */
    public synchronized void heal() {
        cut = false;
        notifyAll();
    }

    private synchronized void awaitWhole() throws InterruptedException {
        while (cut) {
            wait();
        }
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                join(door.accept());
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void join(Socket near) {
        try {
            Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            open.add(near);
            open.add(far);
            daemon(() -> carry(near, far));
            daemon(() -> carry(far, near));
        } catch (IOException serverIsDown) {
            end(near);
        }
    }

    private void carry(Socket from, Socket to) {
        byte[] bytes = new byte[BYTES_AT_ONCE];
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                awaitWhole();
                out.write(bytes, 0, read);
            }
            awaitWhole(); // the end of a connection does not come through either
        } catch (IOException broken) {
            end(to);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            end(from);
            open.remove(from);
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException gone) {
            return;
        }
    }

    @Override
    public void close() {
        try {
            door.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } finally {
            open.forEach(Relay::end);
            heal();
        }
    }
}
