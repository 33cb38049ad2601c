package dev.tenure.etcd.client;

import dev.tenure.etcd.client.proto.Event;
import dev.tenure.etcd.client.proto.WatchCreateRequest;
import dev.tenure.etcd.client.proto.WatchCreateRequest.FilterType;
import dev.tenure.etcd.client.proto.WatchGrpc;
import dev.tenure.etcd.client.proto.WatchRequest;
import dev.tenure.etcd.client.proto.WatchResponse;
import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Watches one range for as long as it is wanted: a stream that ends is opened again where it ended. Where something may have
 * been missed (the beginning, or a revision that was compacted away) its listener is told so. Loop-confined.
 */
public final class WatchStream {
    /** What is done with what was watched. */
    public interface Listener {
        /** From here on all changes are passed on; before this revision some may have been missed. */
        void began(long revision);

        /** @param changes those of a deletion have a key and a revision only */
        void changed(List<KeyValue> changes);
    }

    /** Which changes are passed on. */
    public enum Only {
        DELETIONS(FilterType.NOPUT),
        PUTS(FilterType.NODELETE);

        private final FilterType filter;

        Only(FilterType filter) {
            this.filter = filter;
        }
    }

    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final long PAUSE_MIN_NANOS = 20_000_000;
    private static final long PAUSE_MAX_NANOS = 1_000_000_000;

    private final EtcdClient client;
    private final Host host;
    private final KeyRange range;
    private final Only only;
    private final Listener listener;
    private final Runnable onDisconnect = this::restart;
    private Optional<EtcdClient.ServerStream<WatchRequest, WatchResponse>> stream = Optional.empty();
    private long nextRevision;
    private long pauseNanos = PAUSE_MIN_NANOS;
    private boolean closed;

    public WatchStream(EtcdClient client, Host host, KeyRange range, Only only, Listener listener) {
        this.client = client;
        this.host = host;
        this.range = range;
        this.only = only;
        this.listener = listener;
    }

    public WatchStream start() {
        client.onDisconnect(onDisconnect);
        open();
        return this;
    }

    /** Everything up to this revision has been passed on. */
    public long progress() {
        return nextRevision - 1;
    }

    /** The server was left, or the stream is suspected to be dead: resumes elsewhere without missing anything. */
    public void restart() {
        if (!closed && stream.isPresent()) {
            stream.get().close();
            open();
        }
    }

    public void close() {
        closed = true;
        client.removeOnDisconnect(onDisconnect);
        stream.ifPresent(EtcdClient.ServerStream::close);
    }

    private void open() {
        WatchCreateRequest create = WatchCreateRequest.newBuilder()
                .setKey(KeyRange.bytes(range.from()))
                .setRangeEnd(KeyRange.bytes(range.to()))
                .setStartRevision(nextRevision)
                .addFilters(only.filter)
                .build();
        WatchRequest request =
                WatchRequest.newBuilder().setCreateRequest(create).build();
        stream = Optional.of(client.stream(WatchGrpc.getWatchMethod(), request, this::onMessage, this::onEnd));
    }

    private void onMessage(WatchResponse message) {
        if (message.getCanceled()) {
            if (message.getCompactRevision() > 0) {
                nextRevision = 0; // what lies between was compacted away: begin anew
            } else {
                client.forgetLogin(); // perhaps it has no right to this any more
            }
            again(message.getCancelReason());
            return;
        }
        pauseNanos = PAUSE_MIN_NANOS;
        long revision = message.getHeader().getRevision();
        if (message.getCreated() && revision < nextRevision - 1) {
            // A store that was restored from a backup counts on from below: what we wait for may never come.
            nextRevision = 0;
            restart();
            return;
        }
        if (message.getCreated() && nextRevision == 0) {
            nextRevision = revision + 1;
            listener.began(revision);
        }
        List<KeyValue> changes = new ArrayList<>();
        for (Event event : message.getEventsList()) {
            KeyValue changed = KeyValue.of(event.getKv());
            nextRevision = Math.max(nextRevision, changed.modRevision() + 1);
            changes.add(changed);
        }
        if (!changes.isEmpty()) {
            listener.changed(changes);
        }
    }

    private void onEnd(EtcdError error) {
        stream = Optional.empty();
        if (!error.isOfThisServer()) {
            client.forgetLogin();
        }
        again(String.valueOf(error.getMessage()));
    }

    private void again(String why) {
        if (closed) {
            return;
        }
        LOG.log(Level.DEBUG, "a watch of etcd ended and is opened again: {0}", why);
        stream.ifPresent(EtcdClient.ServerStream::close);
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
