// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.cluster;

import dev.tenure.support.TcpProxy;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** A link to one server, for clients that speak gRPC without TLS, that a test can cut, freeze in one direction, or reset. */
public final class EtcdProxy implements AutoCloseable {
    private static final int PREFACE_BYTES = 24;
    private static final int FRAME_HEADER_BYTES = 9;

    private final TcpProxy proxy;
    private volatile boolean mute;
    private volatile String unheard = "";
    private final AtomicLong swallowed = new AtomicLong();
    private volatile String heldBack = "";
    private volatile CountDownLatch letGo = new CountDownLatch(0);
    private final CountDownLatch holding = new CountDownLatch(1);

    public EtcdProxy(int target) {
        this.proxy = new TcpProxy(target, this::carryRequests, this::carryAnswers);
    }

    public String endpoint() {
        return proxy.address();
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
        return proxy.isUsed();
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
        proxy.refuse();
        reset();
    }

    public void heal() {
        mute = false;
        proxy.admit();
        reset();
    }

    /** All connections end; new ones work. */
    public void reset() {
        proxy.resetConnections();
    }

    /** All connections end in order, without an error, as when a server goes that has nothing more to say; new ones work. */
    public void finish() {
        proxy.finishConnections();
    }

    private void carryAnswers(InputStream from, OutputStream out) throws IOException {
        DataInputStream in = new DataInputStream(from);
        while (true) {
            byte[] frame = nextFrame(in);
            if (contains(frame, unheard)) {
                swallowed.incrementAndGet();
            } else if (!mute) {
                write(frame, out);
            }
        }
    }

    private void carryRequests(InputStream from, OutputStream out) throws IOException {
        DataInputStream in = new DataInputStream(from);
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

    @Override
    public void close() {
        proxy.close();
    }
}
