// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.Stages;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells of every change of some Leases: lists them, watches from that version on, and begins again with a list when the server says that the
 * version is too old (410), fails, or is silent for a TTL. When the server closes a watch in good order, the next one goes on where it was.
 * The server's bookmarks keep that version young. What was missed meanwhile is in the list. Loop-confined, but for {@link #close}.
 */
final class LeaseWatcher {
    /** Told on the loop. */
    interface Listener {
        /** All that there are. */
        void listed(List<Lease> all);

        void changed(Lease lease, boolean deleted);

        /** It tries again by itself, and what is read meanwhile fails too. */
        default void failed(BackendException why) {}
    }

    /** One line of a watch. */
    static final class Event {
        public @Nullable String type;
        public @Nullable Lease object;
    }

    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final long PAUSE_NANOS = 50_000_000;
    private static final long RETRY_NANOS = 1_000_000_000;

    private final LeaseApi api;
    private final Host host;
    private final String selector;
    private final long silenceNanos;
    private final Listener listener;
    private Optional<AsyncBody> body = Optional.empty();
    private String version = "";
    private long round;
    private long receivedNanos;
    private boolean listed;
    private volatile boolean closed;

    LeaseWatcher(LeaseApi api, Host host, String selector, Duration silence, Listener listener) {
        this.api = api;
        this.host = host;
        this.selector = selector;
        this.silenceNanos = silence.toNanos();
        this.listener = listener;
    }

    /** Returns at once. */
    LeaseWatcher start() {
        host.post(() -> {
            receivedNanos = host.nanos();
            list();
            checkSilence();
        });
        return this;
    }

    /** Would a change have been told by now? */
    boolean isCurrent() {
        return listed && host.nanos() - receivedNanos < 2 * silenceNanos;
    }

    private void list() {
        long mine = next();
        Stages.follow(
                api.list(selector),
                found -> ifCurrent(mine, () -> {
                    listed = true;
                    receivedNanos = host.nanos();
                    version = found.getMetadata().getResourceVersion();
                    listener.listed(found.getItems());
                    watch();
                }),
                failure -> ifCurrent(mine, () -> {
                    listed = false;
                    if (failure instanceof BackendException why) {
                        listener.failed(why);
                    }
                    later(RETRY_NANOS, this::list);
                }));
    }

    private void watch() {
        long mine = next();
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        AsyncBody.Consumer<List<ByteBuffer>> consumer = (buffers, source) -> {
            buffers.forEach(bytes -> split(bytes, line, mine));
            source.consume();
        };
        Stages.follow(
                api.watch(selector, version, LONGEST, consumer),
                answer -> host.post(() -> began(mine, answer)),
                failure -> host.post(() -> ifCurrent(mine, () -> later(RETRY_NANOS, this::list))));
    }

    private void began(long mine, HttpResponse<AsyncBody> answer) {
        AsyncBody bytes = answer.body();
        if (mine != round || closed || !HttpResponse.isSuccessful(answer.code())) {
            bytes.cancel();
            ifCurrent(mine, () -> later(RETRY_NANOS, this::list));
            return;
        }
        body = Optional.of(bytes);
        receivedNanos = host.nanos();
        bytes.consume();
        Stages.follow(
                bytes.done(),
                done -> host.post(() -> ifCurrent(mine, () -> later(PAUSE_NANOS, this::watch))),
                broken -> host.post(() -> ifCurrent(mine, () -> later(PAUSE_NANOS, this::list))));
    }

    private void split(ByteBuffer bytes, ByteArrayOutputStream line, long mine) {
        while (bytes.hasRemaining()) {
            byte next = bytes.get();
            if (next != '\n') {
                line.write(next);
            } else if (line.size() > 0) {
                Event event = ApiErrors.SERIALIZATION.unmarshal(line.toString(StandardCharsets.UTF_8), Event.class);
                line.reset();
                host.post(() -> ifCurrent(mine, () -> onEvent(event)));
            }
        }
    }

    private void onEvent(Event event) {
        receivedNanos = host.nanos();
        Lease lease = event.object;
        if (lease == null || event.type == null || event.type.equals("ERROR")) {
            later(PAUSE_NANOS, this::list);
            return;
        }
        version = lease.getMetadata().getResourceVersion();
        if (!event.type.equals("BOOKMARK")) {
            listener.changed(lease, event.type.equals("DELETED"));
        }
    }

    /** A server that stopped, or a connection that broke without a word. */
    private void checkSilence() {
        if (closed) {
            return;
        }
        if (host.nanos() - receivedNanos >= silenceNanos) {
            receivedNanos = host.nanos();
            list();
        }
        host.wakeAt(receivedNanos + silenceNanos, this::checkSilence);
    }

    /** What an earlier round still brings is dropped. */
    private long next() {
        body.ifPresent(AsyncBody::cancel);
        body = Optional.empty();
        return ++round;
    }

    private void later(long nanos, Runnable step) {
        long mine = next();
        host.wakeAt(host.nanos() + nanos, () -> ifCurrent(mine, step));
    }

    private void ifCurrent(long mine, Runnable step) {
        if (mine == round && !closed) {
            step.run();
        }
    }

    void close() {
        closed = true;
        host.post(this::next);
    }
}
