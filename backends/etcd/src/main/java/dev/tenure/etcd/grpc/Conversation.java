package dev.tenure.etcd.grpc;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the two sides of a connection say to each other (RFC 9113): streams side by side, each with its question and its
 * answers, never faster than the other side allows. Knows nothing of the network; for one thread at a time.
 */
final class Conversation {
    /** What the protocol gives both sides at first, for a stream and for the connection. */
    private static final int WINDOW = 65_535;

    private static final int WINDOW_OF_STREAM = 1024 * 1024;
    private static final int WINDOW_OF_CONNECTION = 16 * 1024 * 1024;
    private static final int STREAMS_MAX = 1 << 30;
    private static final int FRAME_BYTES_MAX = 16_384;
    private static final int SETTING_BYTES = 6;
    private static final int SETTING_PUSH = 2;
    private static final int SETTING_WINDOW = 4;
    private static final int SETTING_FRAME_BYTES = 5;
    private static final int CANCEL = 8;
    private static final int REFUSED_STREAM = 7;

    private final FrameWriter out = new FrameWriter();
    private final FrameReader in = new FrameReader(FRAME_BYTES_MAX);
    private final HeaderReader headers = new HeaderReader();
    private final Map<Integer, OpenStream> streams = new LinkedHashMap<>();
    private int nextStream = 1;
    private long sendWindow = WINDOW;
    private int sendWindowOfStream = WINDOW;
    private int sendFrameMax = FRAME_BYTES_MAX;
    private int unacknowledged;
    private boolean greeted;
    private boolean closing;

    Conversation() {
        out.settings(SETTING_PUSH, 0);
        out.settings(SETTING_WINDOW, WINDOW_OF_STREAM);
        out.number(FrameType.WINDOW_UPDATE, 0, WINDOW_OF_CONNECTION - WINDOW);
    }

    /** What is to be sent. */
    FrameWriter out() {
        return out;
    }

    /** Where to put what has arrived, before {@link #hear}. */
    FrameReader in() {
        return in;
    }

    /** Has the other side said anything? */
    boolean isGreeted() {
        return greeted;
    }

    /** There are no new streams from now on. */
    void close() {
        closing = true;
    }

    boolean isClosing() {
        return closing;
    }

    /** There is nothing left to say. */
    boolean isOver() {
        return closing && streams.isEmpty();
    }

    /** All streams end, because the connection has. */
    void breakOff(IOException why) {
        List<OpenStream> ended = List.copyOf(streams.values());
        streams.clear();
        ended.forEach(stream -> stream.receiver().ended(why));
    }

    // ---- this side

    int open(byte[] headerBlock, Message message, boolean last, Receiver receiver) {
        OpenStream stream = new OpenStream(nextStream, message, last, sendWindowOfStream, receiver);
        nextStream += 2;
        closing = nextStream >= STREAMS_MAX;
        streams.put(stream.id(), stream);
        out.frame(FrameType.HEADERS, FrameType.END_HEADERS, stream.id(), headerBlock);
        sendMore(stream);
        return stream.id();
    }

    void cancel(int id) {
        if (streams.remove(id) != null) {
            out.number(FrameType.RST_STREAM, id, CANCEL);
        }
    }

    private void sendMore(OpenStream stream) {
        while (stream.hasMoreToSend()) {
            int count = stream.send(out, Math.min(sendFrameMax, sendWindow));
            if (count == 0) {
                return;
            }
            sendWindow -= count;
        }
    }

    // ---- the other side

    void hear() throws IOException {
        in.forEach(this::on);
    }

    private void on(FrameReader.Frame frame) throws IOException {
        if (!greeted && frame.type() != FrameType.SETTINGS) {
            throw new NotGrpc("it does not speak HTTP/2");
        }
        greeted = true;
        switch (frame.type()) {
            case DATA -> onData(frame);
            case HEADERS -> onHeaders(frame);
            case RST_STREAM -> onReset(frame);
            case SETTINGS -> onSettings(frame);
            case PING -> onPing(frame);
            case GOAWAY -> onGoAway(frame);
            case WINDOW_UPDATE -> onWindow(frame);
            case PRIORITY -> {}
            case PUSH_PROMISE, CONTINUATION -> throw new IOException("the server sent a frame that has no place here");
        }
    }

    private void onData(FrameReader.Frame frame) throws IOException {
        int count = frame.length();
        unacknowledged += count;
        if (unacknowledged >= WINDOW_OF_CONNECTION / 2) {
            out.number(FrameType.WINDOW_UPDATE, 0, unacknowledged);
            unacknowledged = 0;
        }
        OpenStream stream = streams.get(frame.stream());
        if (stream == null) {
            return; // cancelled
        }
        stream.receive(frame.content());
        if (frame.has(FrameType.END_STREAM)) {
            end(stream, Ended.with(stream.headers()));
            return;
        }
        int toAcknowledge = stream.toAcknowledge(count, WINDOW_OF_STREAM / 2);
        if (toAcknowledge > 0) {
            out.number(FrameType.WINDOW_UPDATE, stream.id(), toAcknowledge);
        }
    }

    private void onHeaders(FrameReader.Frame frame) {
        Map<String, String> came = headers.read(frame.bytes()); // also of a stream that nobody waits for
        OpenStream stream = streams.get(frame.stream());
        if (stream == null) {
            return;
        }
        stream.headers().putAll(came);
        if (frame.has(FrameType.END_STREAM)) {
            end(stream, Ended.with(stream.headers()));
        }
    }

    private void onReset(FrameReader.Frame frame) throws IOException {
        int code = frame.number(0);
        OpenStream stream = streams.get(frame.stream());
        if (stream != null) {
            end(
                    stream,
                    code == REFUSED_STREAM
                            ? new NotProcessed("the server refused one more stream")
                            : new IOException("the server broke off the stream, code " + code));
        }
    }

    private void onSettings(FrameReader.Frame frame) throws IOException {
        if (frame.has(FrameType.ACK)) {
            return;
        }
        for (int at = 0; at + SETTING_BYTES <= frame.length(); at += SETTING_BYTES) {
            apply(frame.id(at), frame.number(at + Short.BYTES));
        }
        out.frame(FrameType.SETTINGS, FrameType.ACK, 0, new byte[0]);
        streams.values().forEach(this::sendMore);
    }

    private void apply(int setting, int value) throws IOException {
        if (setting == SETTING_WINDOW && value >= 0) {
            long more = (long) value - sendWindowOfStream;
            sendWindowOfStream = value;
            streams.values().forEach(stream -> stream.widen(more));
        } else if (setting == SETTING_FRAME_BYTES && value >= FRAME_BYTES_MAX) {
            sendFrameMax = value;
        } else if (setting == SETTING_WINDOW || setting == SETTING_FRAME_BYTES) {
            throw new IOException("the server wants what HTTP/2 does not allow");
        }
    }

    private void onPing(FrameReader.Frame frame) {
        if (!frame.has(FrameType.ACK)) {
            out.frame(FrameType.PING, FrameType.ACK, 0, frame.bytes());
        }
    }

    /** The server wants to end: what came after the last stream that it names was not looked at. */
    private void onGoAway(FrameReader.Frame frame) throws IOException {
        int last = frame.number(0);
        closing = true;
        for (OpenStream stream : List.copyOf(streams.values())) {
            if (stream.id() > last) {
                end(stream, new NotProcessed("the server is going away"));
            }
        }
    }

    private void onWindow(FrameReader.Frame frame) throws IOException {
        int more = frame.number(0);
        if (frame.stream() == 0) {
            sendWindow += more;
            streams.values().forEach(this::sendMore);
            return;
        }
        OpenStream stream = streams.get(frame.stream());
        if (stream != null) {
            stream.widen(more);
            sendMore(stream);
        }
    }

    private void end(OpenStream stream, IOException why) {
        streams.remove(stream.id());
        stream.receiver().ended(why);
    }
}
