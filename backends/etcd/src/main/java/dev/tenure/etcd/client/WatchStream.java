// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import dev.tenure.etcd.client.proto.WatchCreateRequest;
import dev.tenure.etcd.client.proto.WatchCreateRequest.FilterType;
import dev.tenure.etcd.client.proto.WatchGrpc;
import dev.tenure.etcd.client.proto.WatchRequest;
import dev.tenure.etcd.client.proto.WatchResponse;
import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Watches one range for as long as it is wanted: a stream that ends is opened again where it ended. It reports where something
 * may have been missed: at the beginning, and where a revision was compacted away. Loop-confined.
 */
public final class WatchStream {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final long PAUSE_MIN_NANOS = 20_000_000;
    private static final long PAUSE_MAX_NANOS = 1_000_000_000;

    /** What is passed on. */
    public enum Changes {
        /** With the value that was written. */
        WRITES(FilterType.NODELETE),
        /** With key and revision only. */
        DELETIONS(FilterType.NOPUT);

        private final FilterType without;

        Changes(FilterType without) {
            this.without = without;
        }
    }

    private final EtcdClient client;
    private final Host host;
    private final KeyRange range;
    private final Changes changes;
    private final LongConsumer began;
    private final Consumer<List<KeyValue>> changed;
    /** Cancels the stream that is open. */
    private Optional<Runnable> stream = Optional.empty();

    private long nextRevision;
    private long pauseNanos = PAUSE_MIN_NANOS;
    private boolean wanted;

    /**
     * @param began told from which revision on all changes are passed on; before it some may have been missed
     * @param changed told what was changed
     */
    public WatchStream(
            EtcdClient client,
            Host host,
            KeyRange range,
            Changes changes,
            LongConsumer began,
            Consumer<List<KeyValue>> changed) {
        this.client = client;
        this.host = host;
        this.range = range;
        this.changes = changes;
        this.began = began;
        this.changed = changed;
    }

    public boolean isWanted() {
        return wanted;
    }

    /** Begins, anew if it was closed before; nothing if it is wanted already. */
    public void open() {
        if (!wanted) {
            wanted = true;
            nextRevision = 0;
            begin();
        }
    }

    /** Everything up to this revision has been passed on. */
    public long progress() {
        return nextRevision - 1;
    }

    /** The server was left, or the stream is suspected to be dead: resumes elsewhere without missing anything. */
    public void restart() {
        if (wanted && stream.isPresent()) {
            cancel();
            begin();
        }
    }

    public void close() {
        wanted = false;
        cancel();
    }

    private void cancel() {
        stream.ifPresent(Runnable::run);
        stream = Optional.empty();
    }

    private void begin() {
        stream = Optional.of(client.stream(WatchGrpc.getWatchMethod(), request(), this::onMessage, this::again));
    }

    private WatchRequest request() {
        return WatchRequest.newBuilder()
                .setCreateRequest(WatchCreateRequest.newBuilder()
                        .setKey(KeyRange.bytes(range.from()))
                        .setRangeEnd(KeyRange.bytes(range.to()))
                        .setStartRevision(nextRevision)
                        .addFilters(changes.without))
                .build();
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
            began.accept(revision);
        }
        List<KeyValue> events = message.getEventsList().stream()
                .map(event -> KeyValue.of(event.getKv()))
                .toList();
        for (KeyValue change : events) {
            nextRevision = Math.max(nextRevision, change.modRevision() + 1);
        }
        if (!events.isEmpty()) {
            changed.accept(events);
        }
    }

    private void again(String why) {
        LOG.log(Level.DEBUG, "a watch of etcd ended and is opened again: {0}", why);
        cancel();
        long jitterNanos = Long.remainderUnsigned(host.random(), pauseNanos);
        host.wakeAt(host.nanos() + pauseNanos + jitterNanos, () -> {
            if (wanted && stream.isEmpty()) {
                begin();
            }
        });
        pauseNanos = Math.min(2 * pauseNanos, PAUSE_MAX_NANOS);
    }
}
