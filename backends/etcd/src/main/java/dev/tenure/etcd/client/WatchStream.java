package dev.tenure.etcd.client;

import dev.tenure.etcd.client.proto.WatchCreateRequest;
import dev.tenure.etcd.client.proto.WatchCreateRequest.FilterType;
import dev.tenure.etcd.client.proto.WatchGrpc;
import dev.tenure.etcd.client.proto.WatchRequest;
import dev.tenure.etcd.client.proto.WatchResponse;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.Stages;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Watches one range for as long as it is wanted: a stream that ends is opened again where it ended. Where something may have
 * been missed (the beginning, or a revision that was compacted away) that is told. Loop-confined.
 */
final class WatchStream {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final long PAUSE_MIN_NANOS = 20_000_000;
    private static final long PAUSE_MAX_NANOS = 1_000_000_000;

    private final EtcdClient client;
    private final Host host;
    private final KeyRange range;
    private final FilterType without;
    private final LongConsumer began;
    private final Consumer<List<KeyValue>> changed;
    private final Runnable onDisconnect = this::restart;
    private Optional<Stream> stream = Optional.empty();
    private long nextRevision;
    private long pauseNanos = PAUSE_MIN_NANOS;
    private boolean wanted;

    /**
     * @param without what is not passed on
     * @param began told from which revision on all changes are passed on; before it some may have been missed
     * @param changed told what was changed; a deletion has a key and a revision only
     */
    WatchStream(
            EtcdClient client,
            Host host,
            KeyRange range,
            FilterType without,
            LongConsumer began,
            Consumer<List<KeyValue>> changed) {
        this.client = client;
        this.host = host;
        this.range = range;
        this.without = without;
        this.began = began;
        this.changed = changed;
    }

    boolean isWanted() {
        return wanted;
    }

    /** Begins, anew if it was closed before; nothing if it is wanted already. */
    void open() {
        if (!wanted) {
            wanted = true;
            nextRevision = 0;
            client.onDisconnect(onDisconnect);
            begin();
        }
    }

    /** Everything up to this revision has been passed on. */
    long progress() {
        return nextRevision - 1;
    }

    /** The server was left, or the stream is suspected to be dead: resumes elsewhere without missing anything. */
    void restart() {
        if (wanted && stream.isPresent()) {
            stream.get().close();
            begin();
        }
    }

    void close() {
        wanted = false;
        client.removeOnDisconnect(onDisconnect);
        stream.ifPresent(Stream::close);
        stream = Optional.empty();
    }

    private void begin() {
        Stream next = new Stream(client.channel());
        stream = Optional.of(next);
        Stages.follow(client.token(), next::start, next::loginFailed);
    }

    private WatchRequest request() {
        return WatchRequest.newBuilder()
                .setCreateRequest(WatchCreateRequest.newBuilder()
                        .setKey(KeyRange.bytes(range.from()))
                        .setRangeEnd(KeyRange.bytes(range.to()))
                        .setStartRevision(nextRevision)
                        .addFilters(without))
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
        List<KeyValue> changes = message.getEventsList().stream()
                .map(event -> KeyValue.of(event.getKv()))
                .toList();
        for (KeyValue change : changes) {
            nextRevision = Math.max(nextRevision, change.modRevision() + 1);
        }
        if (!changes.isEmpty()) {
            changed.accept(changes);
        }
    }

    private void again(String why) {
        LOG.log(Level.DEBUG, "a watch of etcd ended and is opened again: {0}", why);
        stream.ifPresent(Stream::close);
        stream = Optional.empty();
        long jitterNanos = Long.remainderUnsigned(host.random(), pauseNanos);
        host.wakeAt(host.nanos() + pauseNanos + jitterNanos, () -> {
            if (wanted && stream.isEmpty()) {
                begin();
            }
        });
        pauseNanos = Math.min(2 * pauseNanos, PAUSE_MAX_NANOS);
    }

    /** One stream of a server. Its messages are passed on in order, on the loop, and none after its end. */
    private final class Stream extends ClientCall.Listener<WatchResponse> {
        private final ServerChannel channel;
        private final ClientCall<WatchRequest, WatchResponse> call;
        private volatile boolean over;

        Stream(ServerChannel channel) {
            this.channel = channel;
            this.call = channel.call(WatchGrpc.getWatchMethod(), CallOptions.DEFAULT);
        }

        void start(String token) {
            if (!over) {
                call.start(this, ServerChannel.headers(token));
                call.request(Integer.MAX_VALUE);
                call.sendMessage(request());
            }
        }

        void loginFailed(Throwable failure) {
            onClose(Status.UNAUTHENTICATED.withDescription("the login failed").withCause(failure), new Metadata());
        }

        @Override
        public void onMessage(WatchResponse message) {
            client.onLoop(() -> {
                if (!over) {
                    WatchStream.this.onMessage(message);
                }
            });
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            EtcdError error = EtcdError.of(channel, status);
            client.onLoop(() -> {
                if (!over) {
                    over = true;
                    ended(error);
                    client.leave(channel);
                }
            });
        }

        /** Before its server is left, which opens the streams again that are still open. */
        private void ended(EtcdError error) {
            stream = Optional.empty();
            if (!error.isOfThisServer()) {
                client.forgetLogin();
            }
            again(String.valueOf(error.getMessage()));
        }

        /** From any thread. */
        void close() {
            over = true;
            call.cancel("not wanted any more", null);
        }
    }
}
