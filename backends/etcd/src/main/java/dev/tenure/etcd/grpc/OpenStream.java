package dev.tenure.etcd.grpc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** One call or stream on a connection: what of its request has still to go, and what of its answers has come. */
final class OpenStream {
    private static final int PREFIX_BYTES = 5;
    private static final int ANSWER_BYTES = 256;
    private static final int KEPT_BYTES_MAX = 16 * 1024;
    private static final int MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

    private final int id;
    private final Receiver receiver;
    private final boolean closesAfterRequest;
    private final byte[] request;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private int requested;
    private long sendWindow;
    private int unacknowledged;
    private byte[] answer = new byte[ANSWER_BYTES];
    private int answered;

    OpenStream(int id, Message message, boolean closesAfterRequest, long sendWindow, Receiver receiver) {
        this.id = id;
        this.receiver = receiver;
        this.closesAfterRequest = closesAfterRequest;
        this.sendWindow = sendWindow;
        this.request = new byte[PREFIX_BYTES + message.size()];
        ByteBuffer.wrap(request).put((byte) 0).putInt(message.size());
        message.copyTo(request, PREFIX_BYTES);
    }

    int id() {
        return id;
    }

    Receiver receiver() {
        return receiver;
    }

    Map<String, String> headers() {
        return headers;
    }

    void widen(long bytes) {
        sendWindow += bytes;
    }

    boolean hasMoreToSend() {
        return requested < request.length;
    }

    /** Sends up to this many bytes of the request, and returns how many it were. */
    int send(FrameWriter out, long bytesMax) {
        int count = (int) Math.min(request.length - requested, Math.min(bytesMax, sendWindow));
        if (count <= 0) {
            return 0;
        }
        boolean last = requested + count == request.length;
        int flags = last && closesAfterRequest ? FrameType.END_STREAM : 0;
        out.frame(FrameType.DATA, flags, id, request, requested, count);
        requested += count;
        sendWindow -= count;
        return count;
    }

    void receive(ByteBuffer data) throws IOException {
        room(data.remaining());
        int count = data.remaining();
        data.get(answer, answered, count);
        answered += count;
        while (answered >= PREFIX_BYTES) {
            int length = ByteBuffer.wrap(answer, 1, Integer.BYTES).getInt();
            if (answer[0] != 0 || length < 0 || length > MESSAGE_BYTES_MAX) {
                throw new IOException(
                        "the server sent a message that is compressed, or too long: " + length + " bytes");
            }
            int end = PREFIX_BYTES + length;
            if (answered < end) {
                return;
            }
            receiver.received(Message.of(Arrays.copyOfRange(answer, PREFIX_BYTES, end)));
            System.arraycopy(answer, end, answer, 0, answered - end);
            answered -= end;
        }
        if (answered == 0 && answer.length > KEPT_BYTES_MAX) {
            answer = new byte[ANSWER_BYTES]; // one long answer must not cost a stream without an end its memory
        }
    }

    private void room(int more) {
        if (answer.length - answered < more) {
            answer = Arrays.copyOf(answer, Math.max(2 * answer.length, answered + more));
        }
    }

    /** How much was received since it was last acknowledged, if that is much. */
    int toAcknowledge(int received, int atLeast) {
        unacknowledged += received;
        int now = unacknowledged >= atLeast ? unacknowledged : 0;
        unacknowledged -= now;
        return now;
    }
}
