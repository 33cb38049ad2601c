package dev.tenure.etcd.grpc;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** The other end of one connection, frame by frame, so that a test can say what a real server says only once in a while. */
final class ScriptedServer implements AutoCloseable {
    private static final int PREFACE_BYTES = 24;

    private final ServerSocket door;
    private final CompletableFuture<Void> played = new CompletableFuture<>();

    interface Script {
        void play(Peer peer) throws IOException;
    }

    record Frame(FrameType type, int flags, int stream, byte[] content) {}

    ScriptedServer(Script script) throws IOException {
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> play(script), "scripted-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void play(Script script) {
        try (Socket socket = door.accept()) {
            socket.setTcpNoDelay(true);
            script.play(new Peer(new DataInputStream(socket.getInputStream()), socket.getOutputStream()));
            played.complete(null);
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes(); // closed over unread bytes, it would take back what it has said
        } catch (IOException | RuntimeException | AssertionError failure) {
            played.completeExceptionally(failure);
        }
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + door.getLocalPort());
    }

    /** Fails if the script did. */
    void awaitPlayed() {
        played.join();
    }

    @Override
    public void close() throws IOException {
        door.close();
    }

    /** What the script can do. */
    static final class Peer {
        private final DataInputStream in;
        private final OutputStream out;

        private Peer(DataInputStream in, OutputStream out) {
            this.in = in;
            this.out = out;
        }

        void greet(int... settings) throws IOException {
            in.readNBytes(PREFACE_BYTES);
            ByteBuffer content = ByteBuffer.allocate(6 * settings.length / 2);
            for (int i = 0; i < settings.length; i += 2) {
                content.putShort((short) settings[i]).putInt(settings[i + 1]);
            }
            send(FrameType.SETTINGS, 0, 0, content.array());
        }

        /** Hears whatever comes, until the other side has gone. */
        void listen() throws IOException {
            in.readAllBytes();
        }

        Frame next() throws IOException {
            int first = in.readInt();
            FrameType type = FrameType.values()[first & 0xFF];
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            return new Frame(type, flags, stream, in.readNBytes(first >>> 8));
        }

        Frame next(FrameType type) throws IOException {
            Frame frame = next();
            while (frame.type() != type) {
                frame = next();
            }
            return frame;
        }

        /** All the bytes of a request; the number of its stream. */
        int readRequest(ByteArrayOutputStream request) throws IOException {
            Frame frame = next(FrameType.DATA);
            request.writeBytes(frame.content());
            while ((frame.flags() & FrameType.END_STREAM) == 0) {
                frame = next(FrameType.DATA);
                request.writeBytes(frame.content());
            }
            return frame.stream();
        }

        int readRequest() throws IOException {
            return readRequest(new ByteArrayOutputStream());
        }

        void send(FrameType type, int flags, int stream, byte[] content) throws IOException {
            write(frame(type, flags, stream, content));
        }

        void write(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
        }

        static byte[] frame(FrameType type, int flags, int stream, byte[] content) {
            return ByteBuffer.allocate(9 + content.length)
                    .putInt((content.length << 8) | type.ordinal())
                    .put((byte) flags)
                    .putInt(stream)
                    .put(content)
                    .array();
        }

        static byte[] number(int number) {
            return ByteBuffer.allocate(4).putInt(number).array();
        }

        /** A message with its prefix, as it travels. */
        static byte[] prefixed(Message message) {
            byte[] bytes = ByteBuffer.allocate(5 + message.size())
                    .put((byte) 0)
                    .putInt(message.size())
                    .array();
            message.copyTo(bytes, 5);
            return bytes;
        }

        static byte[] headers(String... namesAndValues) {
            HeaderWriter headers = new HeaderWriter();
            for (int i = 0; i < namesAndValues.length; i += 2) {
                headers.add(namesAndValues[i], namesAndValues[i + 1]);
            }
            return headers.block();
        }

        void answer(int stream, Message message) throws IOException {
            send(FrameType.HEADERS, FrameType.END_HEADERS, stream, headers(":status", "200"));
            send(FrameType.DATA, 0, stream, prefixed(message));
            end(stream, "grpc-status", "0");
        }

        void end(int stream, String... headers) throws IOException {
            send(FrameType.HEADERS, FrameType.END_HEADERS | FrameType.END_STREAM, stream, headers(headers));
        }
    }
}
