package dev.tenure.zookeeper.ensemble;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The way of one client to one server, which a test can break. */
public final class Proxy implements AutoCloseable {
    /** What gets through. */
    public enum State {
        UP,
        /** Nothing, in either direction; connections stay, as they do when a cable is pulled. */
        CUT,
        /** Requests, which take effect; no answers. */
        DEAF,
        /** Answers and notifications; no requests. */
        MUTE,
        /** Everything, but answers and notifications only after a while. */
        LATE
    }

    private static final Duration DELAY = Duration.ofMillis(1500);

    private final ServerSocket door;
    private final int serverPort;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicLong requests = new AtomicLong();
    private final List<Integer> kinds = new CopyOnWriteArrayList<>();
    private volatile State state = State.UP;

    public Proxy(Server server) throws IOException {
        serverPort = server.port();
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    public String address() {
        return "127.0.0.1:" + door.getLocalPort();
    }

    public void become(State now) {
        state = now;
        if (now == State.UP) {
            dropConnections(); // what was swallowed is lost, and no stream goes on with a hole in it
        }
    }

    /** Every connection breaks; the next one is as good as the state allows. */
    public void dropConnections() {
        sockets.forEach(Proxy::close);
        sockets.clear();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                sockets.add(client);
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                sockets.add(server);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                start(() -> pump(client, server, true));
                start(() -> pump(server, client, false));
            } catch (IOException closedOrRefused) {
                dropConnections();
            }
        }
    }

    private void pump(Socket from, Socket to, boolean request) {
        byte[] buffer = new byte[64 * 1024];
        Tap tap = new Tap(kinds);
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (request) {
                    requests.incrementAndGet();
                    tap.passes(buffer, read);
                } else if (state == State.LATE) {
                    LockSupport.parkNanos(DELAY.toNanos());
                }
                if (passes(request)) {
                    out.write(buffer, 0, read);
                    out.flush();
                }
            }
        } catch (IOException broken) {
            close(to);
        }
    }

    private boolean passes(boolean request) {
        return switch (state) {
            case UP, LATE -> true;
            case CUT -> false;
            case DEAF -> request;
            case MUTE -> !request;
        };
    }

    /** How many packets came from clients; one request sent alone is one. */
    public long requests() {
        return requests.get();
    }

    /** What kinds of requests came from clients, in the numbers of ZooKeeper's protocol. */
    public List<Integer> kinds() {
        return List.copyOf(kinds);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException gone) {
            return;
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        door.close();
        dropConnections();
    }
}
