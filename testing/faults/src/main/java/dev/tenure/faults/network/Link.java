package dev.tenure.faults.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** The way of one candidate to one server. */
final class Link implements AutoCloseable {
    private static final int CHUNKS_MAX = 10_000;
    private static final int CHUNK_BYTES_MAX = 16 * 1024;

    /** Bytes that came at this time; none mean the end. */
    private static final class Chunk {
        private final long readNanos = System.nanoTime();
        private final byte[] bytes;

        Chunk(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    private final ServerSocket door;
    private final int serverPort;
    private final Barrier barrier;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    Link(int serverPort, Barrier barrier) throws IOException {
        this.serverPort = serverPort;
        this.barrier = barrier;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    String address() {
        return "127.0.0.1:" + door.getLocalPort();
    }

    void reset() {
        List<Socket> ended = List.copyOf(sockets); // not all: a client may be back already, and is not to be forgotten
        ended.forEach(Link::abort);
        sockets.removeAll(ended);
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
            Socket far = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            sockets.add(near);
            sockets.add(far);
            carry(near, far, Barrier.Direction.REQUEST);
            carry(far, near, Barrier.Direction.ANSWER);
        } catch (IOException serverIsDown) {
            abort(near);
        }
    }

    /** One thread reads and one writes, so that a delay makes everything late but nothing slow. */
    private void carry(Socket from, Socket to, Barrier.Direction direction) {
        BlockingQueue<Chunk> onTheWay = new ArrayBlockingQueue<>(CHUNKS_MAX);
        daemon(() -> read(from, onTheWay));
        daemon(() -> write(onTheWay, from, to, direction));
    }

    private static void read(Socket from, BlockingQueue<Chunk> onTheWay) {
        byte[] buffer = new byte[CHUNK_BYTES_MAX];
        try {
            InputStream in = from.getInputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                onTheWay.put(new Chunk(Arrays.copyOf(buffer, read)));
            }
        } catch (IOException broken) {
            putEnd(onTheWay);
            return;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return;
        }
        putEnd(onTheWay);
    }

    private static void putEnd(BlockingQueue<Chunk> onTheWay) {
        try {
            onTheWay.put(new Chunk(new byte[0]));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(BlockingQueue<Chunk> onTheWay, Socket from, Socket to, Barrier.Direction direction) {
        try {
            OutputStream out = to.getOutputStream();
            for (Chunk next = onTheWay.take(); next.bytes.length > 0; next = onTheWay.take()) {
                barrier.await(direction, next.readNanos);
                out.write(next.bytes);
            }
            barrier.await(direction, System.nanoTime()); // the end of a connection does not travel faster
        } catch (IOException broken) {
            abort(from);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        abort(to);
        sockets.remove(from);
        sockets.remove(to);
    }

    private static void abort(Socket socket) {
        try {
            socket.close();
        } catch (IOException broken) {
            return; // it was to end, and it has
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "link");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        door.close();
        reset();
    }
}
