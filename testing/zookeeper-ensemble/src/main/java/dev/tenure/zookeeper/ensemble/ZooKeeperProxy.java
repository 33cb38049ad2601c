// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.ensemble;

import dev.tenure.support.TcpProxy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The way of one client to one server, which a test can break. */
public final class ZooKeeperProxy implements AutoCloseable {
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
        LATE,
        /** Everything, but answers and notifications only once they are {@linkplain #letGo let go}. */
        HELD,
        /** Everything but notifications, as if the server had forgotten its watches. */
        BLIND,
        /** Everything, but a client that connects is taken for a new one, and gets a session that it has not asked for. */
        FORGETFUL
    }

    private static final int BUFFER_BYTES = 64 * 1024;
    private static final Duration DELAY = Duration.ofMillis(1500);

    private final TcpProxy proxy;
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong missed = new AtomicLong();
    private final AtomicLong welcomes = new AtomicLong();
    private final List<Integer> kinds = new CopyOnWriteArrayList<>();
    private volatile State state = State.UP;

    public ZooKeeperProxy(Server server) {
        proxy = new TcpProxy(server.port(), this::carryRequests, this::carryAnswers);
    }

    public String address() {
        return proxy.address();
    }

    public void become(State now) {
        if (now == State.UP) {
            dropConnections(); // what was swallowed is lost, and no stream goes on with a hole in it
        }
        turn(now);
        if (now == State.UP) {
            dropConnections(); // and one that began meanwhile
        }
    }

    private synchronized void turn(State now) {
        state = now;
        notifyAll();
    }

    /** What was held arrives, on the connections on which it was sent. */
    public void letGo() {
        turn(State.UP);
    }

    /** Every connection breaks; the next one is as good as the state allows. */
    public void dropConnections() {
        proxy.closeConnections();
    }

    private void carryRequests(InputStream in, OutputStream out) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        Tap tap = new Tap(kinds);
        Frames frames = new Frames();
        long asked = 0;
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            requests.incrementAndGet();
            tap.passes(buffer, read);
            for (byte[] frame : frames.of(buffer, read)) {
                ask(frame, asked++ == 0, out);
            }
            out.flush();
        }
    }

    private void carryAnswers(InputStream in, OutputStream out) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        Frames frames = new Frames();
        long answered = 0;
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            boolean outside = answered == 0;
            answered += answer(frames.of(buffer, read), out);
            welcomes.addAndGet(outside && answered > 0 ? 1 : 0);
        }
    }

    private void ask(byte[] frame, boolean greeting, OutputStream out) throws IOException {
        if (state != State.CUT && state != State.MUTE) {
            out.write(greeting && state == State.FORGETFUL ? Frames.withoutSession(frame) : frame);
        }
    }

    /** Returns how many got through. */
    private int answer(List<byte[]> frames, OutputStream out) throws IOException {
        int passed = 0;
        if (state == State.LATE) {
            LockSupport.parkNanos(DELAY.toNanos());
        }
        awaitLetGo();
        for (byte[] frame : frames) {
            if (state == State.BLIND && Frames.isNotification(frame)) {
                missed.incrementAndGet();
            } else if (state != State.CUT && state != State.DEAF) {
                out.write(frame);
                passed++;
            }
        }
        out.flush();
        return passed;
    }

    private synchronized void awaitLetGo() throws IOException {
        while (state == State.HELD) {
            try {
                wait();
            } catch (InterruptedException ended) {
                throw new IOException("nobody waits for this answer any more", ended);
            }
        }
    }

    /** How many packets came from clients; one request sent alone is one. */
    public long requests() {
        return requests.get();
    }

    /** How often a client was let in, which is the first thing that a server says on a connection. */
    public long welcomes() {
        return welcomes.get();
    }

    /** How many notifications were swallowed because it was {@link State#BLIND}. */
    public long missed() {
        return missed.get();
    }

    /** What kinds of requests came from clients, in the numbers of ZooKeeper's protocol. */
    public List<Integer> kinds() {
        return List.copyOf(kinds);
    }

    @Override
    public void close() {
        proxy.close();
        letGo();
    }
}
