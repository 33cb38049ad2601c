package dev.tenure.etcd.grpc;

import dev.tenure.wire.Reactor;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * A connection for one call at a time, which waits for the network on the thread of its caller: it needs no thread of its
 * own. After a failure it is of no use any more.
 */
public final class BlockingConnection implements AutoCloseable {
    /** A server may say other things than the answer; one that only says those is given up. */
    private static final int SIGNS_OF_LIFE_MAX = 10_000;

    private final Connection connection;
    private final Selector selector;

    private BlockingConnection(Connection connection, Selector selector) {
        this.connection = connection;
        this.selector = selector;
    }

    /** What went wrong in opening it is told by the first call. */
    public static BlockingConnection open(URI server, Optional<SSLContext> tls, Duration timeout) {
        BlockingConnection opened = new BlockingConnection(new Connection(server, tls), Reactor.openSelector());
        opened.connection.connect(timeout, opened.selector, () -> {});
        return opened;
    }

    public URI server() {
        return connection.server();
    }

    /** Nobody reads while nobody calls: what the server has said since then, perhaps that it closes, is heard first. */
    public boolean isUsable() throws IOException {
        selector.selectNow(key -> connection.ready());
        return connection.isUsable();
    }

    private static final class Answer implements Receiver {
        private Optional<Message> message = Optional.empty();
        private Optional<IOException> end = Optional.empty();

        @Override
        public void received(Message first) {
            message = message.or(() -> Optional.of(first));
        }

        @Override
        public void ended(IOException why) {
            end = Optional.of(why);
        }

        boolean isOpen() {
            return message.isEmpty() && end.isEmpty();
        }
    }

    /** @param timeout for which the server may be silent */
    public Message call(byte[] headerBlock, Message request, Duration timeout)
            throws IOException, InterruptedException {
        throwIfInterrupted();
        Answer answer = new Answer();
        connection.send(headerBlock, request, true, answer);
        for (int i = 0; answer.isOpen() && i < SIGNS_OF_LIFE_MAX; i++) {
            int ready = selector.select(key -> connection.ready(), Math.max(1, timeout.toMillis()));
            throwIfInterrupted();
            if (ready == 0 && answer.isOpen()) {
                break;
            }
        }
        if (answer.message.isPresent()) {
            return answer.message.get();
        }
        IOException why = answer.end.orElseGet(NoAnswer::new);
        if (!(why instanceof Ended)) {
            close();
        }
        throw why;
    }

    /** An interrupt closes channels, so nothing can be done with them afterwards. */
    private void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            close();
            throw new InterruptedException("interrupted while waiting for etcd");
        }
    }

    @Override
    public void close() {
        connection.close();
        try {
            selector.close();
        } catch (IOException alreadyBroken) {
            // There is nothing left to close.
        }
    }
}
