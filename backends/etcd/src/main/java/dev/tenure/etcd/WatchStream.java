package dev.tenure.etcd;

import dev.tenure.spi.Host;
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

    /** What is left out. */
    enum Only {
        PUTS("NODELETE"),
        DELETIONS("NOPUT");

        private final String filter;

        Only(String filter) {
            this.filter = filter;
        }
    }

    private static final Logger LOG = System.getLogger("dev.tenure");
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
        gateway.endpoints().whenLeft(whenLeft);
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
        gateway.endpoints().forget(whenLeft);
        stream.ifPresent(Stream::close);
    }

    private void open() {
        String from = nextRevision > 0 ? ",\"start_revision\":\"" + nextRevision + '"' : "";
        String body = "{\"create_request\":{" + range.json() + from + ",\"filters\":[\"" + only.filter + "\"]}}";
        stream = Optional.of(gateway.stream("/v3/watch", body, this::onLine, this::onEnded));
    }

    private void onLine(Json line) {
        if (line.has("error")) {
            gateway.forgetLogin();
            again(line.at("error").text("message"));
            return;
        }
        Json result = line.at("result");
        if (result.flag("canceled")) {
            if (result.number("compact_revision") > 0) {
                nextRevision = 0; // what lies between is gone: begin anew
            }
            again(result.text("cancel_reason"));
            return;
        }
        pauseNanos = PAUSE_MIN_NANOS;
        long revision = result.at("header").number("revision");
        if (result.flag("created") && revision < nextRevision - 1) {
            // A store that was restored from a backup counts on from below: what we wait for may never come.
            nextRevision = 0;
            restart();
            return;
        }
        if (result.flag("created") && nextRevision == 0) {
            nextRevision = revision + 1;
            listener.began(revision);
        }
        List<Change> changes = new ArrayList<>();
        for (Json event : result.list("events")) {
            KeyValue stored = KeyValue.of(event.at("kv"));
            nextRevision = Math.max(nextRevision, stored.modRevision() + 1);
            changes.add(new Change(event.text("type").equals("DELETE"), stored));
        }
        if (!changes.isEmpty()) {
            listener.changed(changes);
        }
    }

    private void onEnded(Throwable failure) {
        Optional<Stream> ended = stream;
        stream = Optional.empty();
        ended.ifPresent(dead -> gateway.endpoints().leave(dead.endpoint()));
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
