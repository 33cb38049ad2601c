package dev.tenure.zookeeper.wire;

import dev.tenure.wire.Link;
import dev.tenure.wire.PlainLink;
import dev.tenure.wire.Reactor;
import dev.tenure.wire.TlsLink;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * One connection to one server, as frames. Never mended: once it has failed, another one takes its place. Safe for any
 * thread; the thread that sends writes to the network itself, if that takes it, and never waits for it.
 */
final class Line implements Reactor.Party {
    private static final int ROOM_BYTES = 16 * 1024;

    /** Called with the lock held. */
    interface Ear {
        void heard(Line line, RecordReader frame) throws IOException;

        void broken(Line line, IOException why);
    }

    private final Object lock;
    private final Ear ear;
    private final SocketChannel channel;
    private final Frames in = new Frames();
    private ByteBuffer out = ByteBuffer.allocate(ROOM_BYTES).limit(0);
    private Link link;
    private Optional<SelectionKey> key = Optional.empty();
    private boolean over;

    /** @param lock of whoever listens: what is heard and what is sent have one order */
    Line(Object lock, Ear ear, SocketChannel channel) {
        this.lock = lock;
        this.ear = ear;
        this.channel = channel;
        this.link = new PlainLink(channel);
    }

    void begin(Reactor reactor, Server server, Optional<SSLContext> tls) {
        synchronized (lock) {
            try {
                if (tls.isPresent()) {
                    link = new TlsLink(channel, tls.get(), server.host(), server.port());
                }
                key = Optional.of(channel.register(reactor.selector(), SelectionKey.OP_READ, this));
                flush();
                reactor.selector().wakeup();
            } catch (IOException | RuntimeException broken) {
                fail(broken);
            }
        }
    }

    /** Several go out together; {@link #flush} sends them. */
    void put(ByteBuffer frame) {
        synchronized (lock) {
            if (out.capacity() - out.limit() < frame.remaining()) {
                int wanted = Math.max(ROOM_BYTES, 2 * (out.remaining() + frame.remaining()));
                out = ByteBuffer.allocate(wanted).put(out).flip();
            }
            int end = out.limit();
            out.limit(end + frame.remaining());
            out.put(end, frame, frame.position(), frame.remaining());
        }
    }

    void send() {
        synchronized (lock) {
            if (over || key.isEmpty()) {
                return;
            }
            try {
                flush();
            } catch (IOException | RuntimeException broken) {
                fail(broken);
            }
        }
    }

    private void flush() throws IOException {
        link.write(out);
        if (!out.hasRemaining()) {
            out.position(0).limit(0);
        }
        SelectionKey registered = key.orElseThrow();
        int wanted = SelectionKey.OP_READ | (link.isFull() ? SelectionKey.OP_WRITE : 0);
        if (registered.interestOps() != wanted) {
            registered.interestOps(wanted);
            registered.selector().wakeup();
        }
    }

    @Override
    public void ready() {
        synchronized (lock) {
            if (over) {
                return;
            }
            try {
                int count = hear();
                if (!over && count < 0) {
                    throw new EOFException("the server closed the connection");
                }
                if (!over) {
                    in.shrink();
                    flush();
                }
            } catch (IOException | RuntimeException broken) {
                fail(broken);
            }
        }
    }

    private int hear() throws IOException {
        int count;
        do {
            ByteBuffer room = in.room();
            count = link.read(room);
            if (count > 0) {
                in.came(count);
                Optional<RecordReader> frame = in.next();
                while (frame.isPresent() && !over) {
                    ear.heard(this, frame.get());
                    frame = in.next();
                }
            }
        } while (count > 0 && !over);
        return count;
    }

    private void fail(Exception why) {
        if (over) {
            return;
        }
        close();
        ear.broken(this, why instanceof IOException known ? known : new IOException(String.valueOf(why), why));
    }

    /** Says nothing to anybody. */
    @Override
    public void close() {
        synchronized (lock) {
            over = true;
            try {
                link.close();
            } catch (IOException alreadyBroken) {
                over = true; // which is all that is wanted
            }
        }
    }
}
