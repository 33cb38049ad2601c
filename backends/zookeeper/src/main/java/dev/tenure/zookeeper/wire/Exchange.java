package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** Requests and their answers, which come in the order of the requests. Guarded by its wire. */
final class Exchange {
    private final Queue<Ask<?>> unanswered = new ArrayDeque<>();
    private final Queue<Ask<?>> notSent = new ArrayDeque<>();
    private int lastXid;
    private int answeredXid;
    private volatile long lastZxid;

    /** It goes out with what is put next, and {@link Line#send} sends it. */
    void put(Line to, Ask<?> ask) {
        lastXid = next(lastXid);
        to.put(ask.numbered(lastXid));
        unanswered.add(ask);
    }

    /** Until there is a connection. */
    void keep(List<Ask<?>> asks) {
        notSent.addAll(asks);
    }

    void putAllKept(Line to) {
        while (!notSent.isEmpty()) {
            put(to, notSent.remove());
        }
    }

    void heard(int xid, long zxid, int error, RecordReader frame) throws IOException {
        answeredXid = next(answeredXid);
        if (xid != answeredXid || unanswered.isEmpty()) {
            throw new Garbled("an answer to request " + xid + " where that to " + answeredXid + " was due");
        }
        lastZxid = Math.max(lastZxid, zxid);
        unanswered.remove().heard(error, frame);
    }

    private static int next(int xid) {
        return xid == Integer.MAX_VALUE ? 1 : xid + 1;
    }

    void fail(Code code) {
        List<Ask<?>> lost = List.copyOf(unanswered);
        List<Ask<?>> late = List.copyOf(notSent);
        unanswered.clear();
        notSent.clear();
        answeredXid = lastXid;
        lost.forEach(ask -> ask.failed(code));
        late.forEach(ask -> ask.failed(code));
    }

    /** The newest transaction that a server has told of. From any thread. */
    long lastZxid() {
        return lastZxid;
    }
}
