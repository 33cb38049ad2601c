package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Ended;
import dev.tenure.etcd.grpc.Message;
import dev.tenure.etcd.grpc.MessageWriter;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Hears of changes in one range, for as long as it is wanted: a stream that ends is opened again where it ended. Where
 * something may have been missed (the beginning, or a revision that was compacted away) its listener is told so.
 * Loop-confined.
 */
final class WatchStream {
    interface Listener {
        /** From here on all changes are told; before this revision some may have been missed. */
        void began(long revision);

        void changed(List<Change> changes);
    }

    /** @param stored for a deletion only key and revision are known */
    record Change(boolean deleted, KeyValue stored) {}

    /** What is told; in the order in which etcd numbers what is left out, which is the other one. */
    enum Only {
        DELETIONS,
        PUTS
    }

    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final int DELETE = 1;
    private static final long PAUSE_MIN_NANOS = 20_000_000;
    private static final long PAUSE_MAX_NANOS = 1_000_000_000;

    private final Gateway gateway;
    private final Host host;
    private final KeyRange range;
    private final Only only;
    private final Listener listener;
    private final Runnable whenLeft = this::restart;
    private Optional<Stream> stream = Optional.empty();
    private long nextRevision;
    private long pauseNanos = PAUSE_MIN_NANOS;
    private boolean closed;

    WatchStream(Gateway gateway, Host host, KeyRange range, Only only, Listener listener) {
        this.gateway = gateway;
        this.host = host;
        this.range = range;
        this.only = only;
        this.listener = listener;
    }

    WatchStream start() {
        gateway.whenLeft(whenLeft);
        open();
        return this;
    }

    /** Everything up to this revision has been told. */
    long toldUpTo() {
        return nextRevision - 1;
    }

    /** The server was left, or the stream is suspected to be dead: resumes elsewhere without missing anything. */
    void restart() {
        if (!closed && stream.isPresent()) {
            stream.get().close();
            open();
        }
    }

    void close() {
        closed = true;
        gateway.forget(whenLeft);
        stream.ifPresent(Stream::close);
    }

    private void open() {
        Message watch = range.request()
                .number(3, nextRevision)
                .numberEvenIfZero(5, only.ordinal())
                .done();
        Message request = new MessageWriter().message(1, watch).done();
        stream = Optional.of(gateway.stream(Method.WATCH, request, this::onAnswer, this::onEnded));
    }

    private void onAnswer(Message answer) {
        if (answer.flag(4)) {
            if (answer.number(5) > 0) {
                nextRevision = 0; // what lies between was compacted away: begin anew
            } else {
                gateway.forgetLogin(); // perhaps it has no right to this any more
            }
            again(answer.text(6));
            return;
        }
        pauseNanos = PAUSE_MIN_NANOS;
        boolean created = answer.flag(3);
        long revision = Moment.of(answer).revision();
        if (created && revision < nextRevision - 1) {
            // A store that was restored from a backup counts on from below: what we wait for may never come.
            nextRevision = 0;
            restart();
            return;
        }
        if (created && nextRevision == 0) {
            nextRevision = revision + 1;
            listener.began(revision);
        }
        List<Change> changes = new ArrayList<>();
        for (Message event : answer.list(11)) {
            KeyValue stored = KeyValue.of(event.at(2));
            nextRevision = Math.max(nextRevision, stored.modRevision() + 1);
            changes.add(new Change(event.number(1) == DELETE, stored));
        }
        if (!changes.isEmpty()) {
            listener.changed(changes);
        }
    }

    private void onEnded(IOException failure) {
        Optional<Stream> ended = stream;
        stream = Optional.empty();
        if (failure instanceof Ended) {
            gateway.forgetLogin();
        }
        ended.ifPresent(dead -> gateway.leave(dead.connection()));
        again(String.valueOf(failure.getMessage()));
    }

    private void again(String why) {
        if (closed) {
            return;
        }
        LOG.log(Level.DEBUG, "a watch of etcd ended and is opened again: {0}", why);
        stream.ifPresent(Stream::close);
        stream = Optional.empty();
        long jitterNanos = Long.remainderUnsigned(host.random(), pauseNanos);
        host.wakeAt(host.nanos() + pauseNanos + jitterNanos, () -> {
            if (!closed && stream.isEmpty()) {
                open();
            }
        });
        pauseNanos = Math.min(2 * pauseNanos, PAUSE_MAX_NANOS);
    }
}
