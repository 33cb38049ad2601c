package dev.tenure.cli.process;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the guardian calls its supervisor: a UNIX socket, because the guardian's descriptors 0 to 2 belong to the
 * child and Java passes no others. It lies in a directory of mode 0700 and is unlinked as soon as the guardian has
 * connected.
 */
final class ControlListener implements Closeable {

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
    ControlSocket accept() throws IOException {
        SocketChannel channel = listener.accept();
        close();
        return new ControlSocket(channel);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        Files.deleteIfExists(path);
        Files.deleteIfExists(directory);
    }
}
