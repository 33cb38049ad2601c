// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The line to a connected guardian, and what the supervisor tells it (the protocol stands at the top of {@code guardian.pl}).
 * One thread reads; any thread sends.
 *
 * <p>A guardian that cannot be told the end of the term is not one. When an order cannot be delivered, the guardian
 * is killed; the kernel then kills the child, and the reader of its reports sees the end and sweeps up the rest.
 * Callers need no error path of their own.
 */
final class GuardianConnection implements Closeable {
    private static final HexFormat HEX = HexFormat.of();

    /** The supervisor keeps a ninth of the grace between SIGKILL and the end of the term: half of that, for the sweep. */
    private static final int SILENCES_PER_GRACE = 18;

    private final SocketChannel channel;
    private final Process guardian;
    private final Duration grace;
    private final Selector selector;
    private final ByteBuffer received = ByteBuffer.allocate(4096).limit(0);
    private final Object sending = new Object();
    private boolean over; // guarded by sending
    private volatile GuardianClock clock = GuardianClock.BOOT;

    private GuardianConnection(SocketChannel channel, Process guardian, Duration grace) throws IOException {
        this.channel = channel;
        this.guardian = guardian;
        this.grace = grace;
        this.selector = Selector.open();
    }

    /**
     * Sends what does not depend on the term, so that the start itself is short, and then reads the report on which clock
     * deadlines are given. The command may be longer than a socket's buffer: this waits for the guardian to read it.
     *
     * @return false if the guardian has hung up instead
     */
    boolean prepare(List<byte[]> command) throws IOException {
        StringBuilder lines = new StringBuilder();
        command.forEach(word -> lines.append("arg ").append(HEX.formatHex(word)).append('\n'));
        lines.append("grace ").append(grace.toMillis()).append("e-3\n");
        ByteBuffer bytes = StandardCharsets.US_ASCII.encode(lines.toString());
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
        String ready = readLine();
        if (ready == null) {
            return false;
        }
        clock = GuardianClock.reported(ready.split(" ")[1]);
        return true;
    }

    void start(Map<String, String> environment, long validUntilNanos) {
        StringBuilder lines = new StringBuilder();
        environment.forEach((name, value) -> lines.append("env ")
                .append(HEX.formatHex(name.getBytes(StandardCharsets.UTF_8)))
                .append(' ')
                .append(HEX.formatHex(value.getBytes(StandardCharsets.UTF_8)))
                .append('\n'));
        send(() -> lines + "start " + window(validUntilNanos));
    }

    void deadline(long validUntilNanos) {
        send(() -> "deadline " + window(validUntilNanos));
    }

    void signal(int number) {
        send(() -> "signal " + number);
    }

    void stop(Duration stopGrace) {
        send(() -> "stop " + clock.secondsAt(System.nanoTime() + stopGrace.toNanos()));
    }

    /** The end of file that makes the guardian end the tree; its reports still arrive. */
    void end() {
        synchronized (sending) {
            try {
                if (!over) {
                    over = true;
                    channel.shutdownOutput();
                }
            } catch (IOException unreachable) {
                guardian.destroyForcibly();
            }
        }
    }

    /** How long after SIGKILL was due a guardian may leave open whether it was sent. */
    long silenceNanosMax() {
        return grace.toNanos() / SILENCES_PER_GRACE;
    }

    void killGuardian() {
        guardian.destroyForcibly();
    }

    private String window(long validUntilNanos) throws IOException {
        return clock.secondsAt(validUntilNanos - grace.toNanos()) + ' ' + clock.secondsAt(validUntilNanos);
    }

    /** Whole lines, never waiting: a renewal must not hang on a guardian that does not read. Does nothing after the end. */
    private void send(Order order) {
        try {
            ByteBuffer bytes = StandardCharsets.US_ASCII.encode(order.line() + '\n');
            synchronized (sending) {
                if (over) {
                    return;
                }
                channel.write(bytes);
                if (bytes.hasRemaining()) {
                    throw new IOException("the guardian has left some hundred orders unread");
                }
            }
        } catch (IOException unreachable) {
            guardian.destroyForcibly();
        }
    }

    @FunctionalInterface
    private interface Order {
        String line() throws IOException;
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

    /**
     * Where the guardian calls its supervisor: a UNIX socket, because the guardian's descriptors 0 to 2 belong to the
     * child and Java passes no others. It lies in a directory of mode 0700 and is unlinked as soon as the guardian has
     * connected.
     */
    static final class ControlListener implements Closeable {

        /** A {@code sockaddr_un} holds 108 bytes on Linux and 104 on macOS. */
        private static final int DIRECTORY_BYTES_MAX = 100;

        private final Path directory;
        private final Path path;
        private final ServerSocketChannel listener;

        private ControlListener(Path directory, ServerSocketChannel listener) throws IOException {
            this.directory = directory;
            this.path = directory.resolve("s");
            this.listener = listener.bind(UnixDomainSocketAddress.of(path), 1);
            // A signal may end the JVM before the guardian has come. What was registered last is deleted first.
            directory.toFile().deleteOnExit();
            path.toFile().deleteOnExit();
        }

        static ControlListener open() throws IOException {
            Path directory = Files.createTempDirectory("tenure-"); // of mode 0700
            if (directory.toString().getBytes(StandardCharsets.UTF_8).length > DIRECTORY_BYTES_MAX) {
                Files.delete(directory);
                directory = Files.createTempDirectory(Path.of("/tmp"), "tenure-");
            }
            ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                return new ControlListener(directory, channel);
            } catch (IOException e) {
                channel.close();
                Files.delete(directory);
                throw e;
            }
        }

        Path path() {
            return path;
        }

        /** Waits for the guardian; fails when this listener is closed meanwhile, since then it will not come. */
        GuardianConnection accept(Process guardian, Duration grace) throws IOException {
            SocketChannel channel = listener.accept();
            close();
            return new GuardianConnection(channel, guardian, grace);
        }

        @Override
        public void close() throws IOException {
            listener.close();
            Files.deleteIfExists(path);
            Files.deleteIfExists(directory);
        }
    }
}
