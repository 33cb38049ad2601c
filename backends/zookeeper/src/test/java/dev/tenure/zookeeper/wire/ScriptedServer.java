package dev.tenure.zookeeper.wire;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Says what a test wants it to say, and checks nothing. */
final class ScriptedServer implements AutoCloseable {
    static final long SESSION = 0x77;
    static final byte[] PASSWORD = "sixteen bytes...".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private final ServerSocket listening;
    private final BlockingQueue<Visit> visits = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::acceptAll, "scripted-server");

    ScriptedServer() throws IOException {
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        thread.start();
    }

    Server address() {
        return new Server("127.0.0.1", listening.getLocalPort());
    }

    private void acceptAll() {
        while (!listening.isClosed()) {
            try {
                visits.add(new Visit(listening.accept()));
            } catch (IOException closed) {
                return;
            }
        }
    }

    /** The next connection. */
    Visit visit() throws InterruptedException {
        Visit visit = visits.poll(60, TimeUnit.SECONDS);
        if (visit == null) {
            throw new AssertionError("nobody came");
        }
        return visit;
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Visit visit : visits) {
            visit.close();
        }
    }

    /** One connection, as this side sees it. */
    static final class Visit implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;

        Visit(Socket socket) throws IOException {
            this.socket = socket;
            this.in = new DataInputStream(socket.getInputStream());
            this.out = new DataOutputStream(socket.getOutputStream());
        }

        /** The next frame, without its length. */
        ByteBuffer hear() throws IOException {
            byte[] frame = new byte[in.readInt()];
            in.readFully(frame);
            return ByteBuffer.wrap(frame);
        }

        /** The next request, read up to behind its number and its kind. */
        ByteBuffer hear(OpType kind) throws IOException {
            ByteBuffer request = hear();
            int xid = request.getInt();
            int type = request.getInt();
            if (type != kind.number()) {
                throw new AssertionError("request " + xid + " is of the kind " + type + ", and not " + kind);
            }
            return request;
        }

        /** The greeting that a client begins with: last zxid, timeout, session. */
        ByteBuffer heardGreeting() throws IOException {
            ByteBuffer greeting = hear();
            greeting.getInt();
            return greeting;
        }

        void greet(int timeoutMillis, long session) throws IOException {
            say(new RecordWriter()
                    .number(0)
                    .number(timeoutMillis)
                    .longNumber(session)
                    .data(PASSWORD)
                    .flag(false));
        }

        void letIn(int timeoutMillis) throws IOException {
            heardGreeting();
            greet(timeoutMillis, SESSION);
        }

        RecordWriter reply(int xid, long zxid, int error) {
            return new RecordWriter().number(xid).longNumber(zxid).number(error);
        }

        void say(RecordWriter record) throws IOException {
            raw(bytes(record));
        }

        static byte[] bytes(RecordWriter record) {
            ByteBuffer frame = record.frame();
            byte[] bytes = new byte[frame.remaining()];
            frame.get(bytes);
            return bytes;
        }

        void raw(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
        }

        /** Waits until the other side has ended the connection. */
        void awaitEnd() throws IOException {
            try {
                while (in.read() >= 0) {
                    // whatever it still says
                }
            } catch (java.net.SocketException reset) {
                return;
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
