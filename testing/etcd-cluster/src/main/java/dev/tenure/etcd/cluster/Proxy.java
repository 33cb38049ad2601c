package dev.tenure.etcd.cluster;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** A link to one server, for clients that speak gRPC without TLS, that a test can cut, freeze in one direction, or reset. */
public final class Proxy implements AutoCloseable {
    private static final int PREFACE_BYTES = 24;
    private static final int FRAME_HEADER_BYTES = 9;

    private final ServerSocket door;
    private final int target;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private volatile boolean refusing;
    private volatile boolean mute;
    private volatile String unheard = "";
    private final AtomicLong swallowed = new AtomicLong();
    private volatile String heldBack = "";
    private volatile CountDownLatch letGo = new CountDownLatch(0);
    private final CountDownLatch holding = new CountDownLatch(1);

    public Proxy(int target) throws IOException {
        this.target = target;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    public String endpoint() {
        return "127.0.0.1:" + door.getLocalPort();
    }

    /** Answers are swallowed and connections stay open: half-open, as after a NAT has forgotten them. */
    public void swallowAnswers() {
        mute = true;
    }

    /** What servers say that contains this text is lost, and nothing else: a notification that names a key, for one. */
    public void swallow(String text) {
        unheard = text;
    }

    /** How often that has happened. */
    public long swallowed() {
        return swallowed.get();
    }

    public boolean isUsed() {
        return !open.isEmpty();
    }

    /**
     * The first request that contains this text is held back, alone, until it is let go: late, but not lost. Others on the same
     * connection overtake it, as streams of HTTP/2 may.
     */
    public void holdBack(String text) {
        letGo = new CountDownLatch(1);
        heldBack = text;
    }

    public void awaitHolding() throws InterruptedException {
        holding.await();
    }

    public void letGo() {
        letGo.countDown();
    }

    /** All connections are reset, and new ones too. */
    public void cut() {
        refusing = true;
        reset();
    }

    public void heal() {
        mute = false;
        refusing = false;
        reset();
    }

    /** All connections end; new ones work. */
    public void reset() {
        List<Socket> ended = List.copyOf(open); // not all: a client may be back already, and is not to be forgotten
        ended.forEach(Proxy::closeQuietly);
        open.removeAll(ended);
    }

    /** All connections end in order, without an error, as when a server goes that has nothing more to say; new ones work. */
    public void finish() {
        List<Socket> ended = List.copyOf(open);
        for (Socket socket : ended) {
            try {
                socket.shutdownOutput();
            } catch (IOException gone) {
                closeQuietly(socket);
            }
        }
        open.removeAll(ended);
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                link(door.accept());
            } catch (IOException doorClosed) {
                return;
            }
        }
    }

    private void link(Socket near) {
        try {
            if (refusing) {
                throw new IOException("refused");
            }
            Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            open.add(near);
            open.add(far);
            if (refusing) {
                reset(); // cut in between, by somebody who has not seen this one
                return;
            }
            daemon(() -> copyRequests(near, far));
            daemon(() -> copyAnswers(far, near));
        } catch (IOException refusedOrDown) {
            closeQuietly(near);
        }
    }

    private void copyAnswers(Socket from, Socket to) {
        try (DataInputStream in = new DataInputStream(from.getInputStream());
                OutputStream out = to.getOutputStream()) {
            while (true) {
                byte[] frame = nextFrame(in);
                if (contains(frame, unheard)) {
                    swallowed.incrementAndGet();
                } else if (!mute) {
                    write(frame, out);
                }
            }
        } catch (IOException ended) {
            return;
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private void copyRequests(Socket from, Socket to) {
        try (DataInputStream in = new DataInputStream(from.getInputStream());
                OutputStream out = to.getOutputStream()) {
            write(in.readNBytes(PREFACE_BYTES), out);
            while (true) {
                byte[] frame = nextFrame(in);
                String wanted = heldBack;
                if (contains(frame, wanted)) {
                    heldBack = "";
                    daemon(() -> writeWhenLetGo(frame, out));
                    holding.countDown();
                } else {
                    write(frame, out);
                }
            }
        } catch (IOException ended) {
            return;
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private static boolean contains(byte[] frame, String text) {
        return !text.isEmpty() && new String(frame, StandardCharsets.ISO_8859_1).contains(text);
    }

    private static byte[] nextFrame(DataInputStream in) throws IOException {
        byte[] header = new byte[FRAME_HEADER_BYTES];
        in.readFully(header);
        int length = ((header[0] & 0xFF) << 16) | ((header[1] & 0xFF) << 8) | (header[2] & 0xFF);
        byte[] frame = Arrays.copyOf(header, FRAME_HEADER_BYTES + length);
        in.readFully(frame, FRAME_HEADER_BYTES, length);
        return frame;
    }

    private static void write(byte[] bytes, OutputStream out) throws IOException {
        synchronized (out) {
            out.write(bytes);
            out.flush();
        }
    }

    private void writeWhenLetGo(byte[] frame, OutputStream out) {
        try {
            letGo.await();
            write(frame, out);
        } catch (InterruptedException | IOException over) {
            return;
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException closed) {
            return;
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        reset();
    }
}
