package dev.tenure.etcd.grpc;

import dev.tenure.wire.Link;
import dev.tenure.wire.PlainLink;
import dev.tenure.wire.Reactor;
import dev.tenure.wire.TlsLink;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * One HTTP/2 connection to one server, for any number of streams side by side. What is sent before it stands waits for that.
 * It is never mended: once it has failed, or the server wants to end it, it takes no new streams. Safe for any thread; the
 * thread that sends writes to the network itself, if that takes it, and never waits for it.
 */
public final class Connection implements Reactor.Party {
    private final URI server;
    private final Optional<SSLContext> tls;
    private final Conversation conversation = new Conversation();
    private Optional<Link> link = Optional.empty();
    private Optional<SelectionKey> key = Optional.empty();
    private Optional<IOException> failure = Optional.empty();
    private Runnable wake = () -> {};

    public Connection(URI server, Optional<SSLContext> tls) {
        this.server = server;
        this.tls = tls;
    }

    public URI server() {
        return server;
    }

    // ---- beginning

    /** Waits until the server has accepted it, or has not. What comes then is told through the reactor. */
    public void connect(Duration timeout, Reactor reactor) {
        connect(timeout, reactor.selector(), reactor.selector()::wakeup);
    }

    /** @param wakeUp makes the thread that waits for the network look again at what it waits for */
    void connect(Duration timeout, Selector selector, Runnable wakeUp) {
        try {
            stand(reach(timeout), selector, wakeUp);
        } catch (IOException unreachable) {
            fail(new Unreachable(unreachable));
        }
    }

    private SocketChannel reach(Duration timeout) throws IOException {
        IOException why = new IOException("the name has no address");
        for (InetAddress address : InetAddress.getAllByName(host())) {
            SocketChannel channel = SocketChannel.open();
            try {
                channel.socket().connect(new InetSocketAddress(address, server.getPort()), millis(timeout));
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                return channel;
            } catch (IOException refused) {
                channel.close();
                why = refused;
            }
        }
        throw why;
    }

    private String host() {
        String host = server.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private static int millis(Duration timeout) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, timeout.toMillis()));
    }

    private synchronized void stand(SocketChannel channel, Selector selector, Runnable wakeUp) {
        wake = wakeUp;
        link = Optional.of(new PlainLink(channel));
        if (failure.isPresent()) {
            closeLink(failure.get());
            return;
        }
        try {
            if (tls.isPresent()) {
                link = Optional.of(new TlsLink(channel, tls.get(), host(), server.getPort(), "h2"));
            }
            key = Optional.of(channel.register(selector, SelectionKey.OP_READ, this));
            flush();
            wake.run();
        } catch (IOException | RuntimeException broken) {
            fail(broken);
        }
    }

    // ---- end

    /** Does it take new streams? */
    public synchronized boolean isUsable() {
        return !conversation.isClosing() && failure.isEmpty();
    }

    /** Takes no new streams, and ends with the last one that it has. */
    public synchronized void retire() {
        conversation.close();
        closeIfOver();
    }

    private void closeIfOver() {
        if (conversation.isOver()) {
            fail(new NotProcessed("the connection was given up"));
        }
    }

    @Override
    public void close() {
        fail(new IOException("this side has closed the connection"));
    }

    private synchronized void fail(Exception why) {
        if (failure.isPresent()) {
            return;
        }
        IOException told =
                why instanceof IOException known ? known : new IOException("the server's answer makes no sense", why);
        failure = Optional.of(told);
        closeLink(told);
        conversation.breakOff(told);
    }

    private void closeLink(IOException why) {
        link.ifPresent(open -> {
            try {
                open.close();
            } catch (IOException alreadyBroken) {
                why.addSuppressed(alreadyBroken);
            }
        });
    }

    // ---- streams

    /**
     * Opens a stream with one message on it.
     *
     * @param last after this message nothing comes from this side
     * @return its number, for {@link #cancel}
     */
    public synchronized int send(byte[] headerBlock, Message message, boolean last, Receiver receiver) {
        if (!isUsable()) {
            String why = failure.map(Throwable::getMessage).orElse("the server takes no new calls on it");
            receiver.ended(failure.filter(Unreachable.class::isInstance)
                    .orElseGet(() -> new NotProcessed("the connection has ended: " + why, failure.orElse(null))));
            return 0;
        }
        int stream = conversation.open(headerBlock, message, last, receiver);
        flushOrFail();
        return stream;
    }

    /** Nothing more is heard of this stream. */
    public synchronized void cancel(int stream) {
        if (failure.isEmpty()) {
            conversation.cancel(stream);
            flushOrFail();
            closeIfOver();
        }
    }

    private void flushOrFail() {
        try {
            flush();
        } catch (IOException | RuntimeException broken) {
            fail(broken);
        }
    }

    // ---- the network

    /** The network has something, or takes something. */
    @Override
    public synchronized void ready() {
        if (failure.isPresent()) {
            return;
        }
        try {
            Link open = link.orElseThrow();
            int count = open.read(conversation.in().room());
            while (count > 0) {
                conversation.hear();
                count = open.read(conversation.in().room());
            }
            if (count < 0) {
                throw new EOFException(
                        "the server closed the connection" + (conversation.isGreeted() ? "" : " at once; " + advice()));
            }
            flush();
            closeIfOver();
        } catch (IOException | RuntimeException broken) {
            fail(broken);
        }
    }

    private String advice() {
        return tls.isPresent() ? "perhaps it does not speak TLS" : "if it wants TLS, add ?tls=true to the store URL";
    }

    private void flush() throws IOException {
        if (link.isEmpty()) {
            return;
        }
        Link open = link.get();
        open.write(conversation.out().waiting());
        SelectionKey registered = key.orElseThrow();
        int wanted = SelectionKey.OP_READ | (open.isFull() ? SelectionKey.OP_WRITE : 0);
        if (registered.interestOps() != wanted) {
            registered.interestOps(wanted);
            wake.run();
        }
    }
}
