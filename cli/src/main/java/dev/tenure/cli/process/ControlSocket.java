package dev.tenure.cli.process;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The line to a connected guardian. One thread reads; any thread sends. */
final class ControlSocket implements Closeable {

    private final SocketChannel channel;
    private final Selector selector;
    private final ByteBuffer received = ByteBuffer.allocate(4096).limit(0);
    private final Object sending = new Object();
    private boolean over; // guarded by sending

    ControlSocket(SocketChannel channel) throws IOException {
        this.channel = channel;
        this.selector = Selector.open();
    }

    /**
     * Sends what may be longer than a socket's buffer, waiting for the guardian to read it; only before {@link
     * #send}.
     */
    void sendFirst(String lines) throws IOException {
        ByteBuffer bytes = StandardCharsets.US_ASCII.encode(lines);
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
    }

    /**
     * Sends whole lines, never waiting: a renewal must not hang on a guardian that does not read. Does nothing after
     * {@link #endOrders}.
     *
     * @throws IOException if the guardian is gone, or has left some hundred orders unread
     */
    void send(String lines) throws IOException {
        synchronized (sending) {
            if (over) {
                return;
            }
            ByteBuffer bytes = StandardCharsets.US_ASCII.encode(lines);
            channel.write(bytes);
            if (bytes.hasRemaining()) {
                throw new IOException("the guardian does not read its orders");
            }
        }
    }

    /** The end of file that makes the guardian end the tree; its reports still arrive. */
    void endOrders() throws IOException {
        synchronized (sending) {
            if (!over) {
                over = true;
                channel.shutdownOutput();
            }
        }
    }

    /** The next report, or null when the guardian has hung up. */
    @Nullable
    String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            while (received.hasRemaining()) {
                byte next = received.get();
                if (next == '\n') {
                    return line.toString(StandardCharsets.UTF_8);
                }
                line.write(next);
            }
            if (!receive()) {
                return null;
            }
        }
    }

    private boolean receive() throws IOException {
        received.clear();
        int count = 0;
        while (count == 0) {
            selector.select();
            selector.selectedKeys().clear();
            count = channel.read(received);
        }
        received.flip();
        return count > 0;
    }

    @Override
    public void close() throws IOException {
        synchronized (sending) {
            over = true;
            channel.close();
        }
        selector.close();
    }
}
