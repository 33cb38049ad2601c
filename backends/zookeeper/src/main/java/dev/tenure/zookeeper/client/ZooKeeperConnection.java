// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.client;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.client.ClientConfig.IdentityFile;
import dev.tenure.zookeeper.client.ZooKeeperError.ConnectionDiagnosis;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;

/**
 * One session at ZooKeeper's servers, from the first attempt to connect until its end. Loop-confined.
 *
 * <p>The client reports that a session has expired when a server says so, or after 4/3 of the session timeout without contact. The
 * engine's own deadline has passed long before that second case, so nothing depends on this guess.
 */
public final class ZooKeeperConnection {
    private static final Logger LOG = System.getLogger("dev.tenure");

    /** Called on the loop. */
    public interface Listener {
        /** Connected again, with the same session. Recursive watches may have missed events. */
        void reconnected();

        /** The servers have ended the session, or refuse it. */
        void ended(String why);
    }

    /** What to ask the servers for, and how long to wait for the first answer. */
    public record Terms(int timeoutMillis, Duration within) {}

    private final Settings settings;
    private final Host host;
    /** With SASL what is sent before the login was accepted is refused, so that counts as connected. */
    private final KeeperState connectedState;

    private final CompletableFuture<ZooKeeperConnection> opened = new CompletableFuture<>();
    private Optional<KeeperClient> client = Optional.empty();
    private Optional<CompletableFuture<Boolean>> closing = Optional.empty();
    private Host.Timer openTimer = () -> {};
    private Optional<Listener> listener = Optional.empty();
    private Optional<BackendException> end = Optional.empty();
    private long begunNanos;
    private long sessionId;
    private int timeoutMillis;
    private boolean over;

    private ZooKeeperConnection(Settings settings, Host host) {
        this.settings = settings;
        this.host = host;
        this.connectedState =
                settings.login().section().isPresent() ? KeeperState.SaslAuthenticated : KeeperState.SyncConnected;
    }

    /** @param clients where the client is registered for as long as it has threads */
    public static CompletableFuture<ZooKeeperConnection> open(
            Settings settings, Host host, ClientRegistry clients, Terms terms) {
        if (clients.closed) {
            return CompletableFuture.failedFuture(BackendException.unreachable("this client of ZooKeeper is closed"));
        }
        ZooKeeperConnection connection = new ZooKeeperConnection(settings, host);
        connection.begin(clients, terms);
        return connection.opened;
    }

    private void begin(ClientRegistry clients, Terms terms) {
        begunNanos = host.nanos();
        openTimer = host.wakeAt(begunNanos + terms.within.toNanos(), () -> giveUp(terms.within));
        host.io().execute(() -> {
            try {
                settings.login().checkSection();
                IdentityFile own = IdentityFile.of(settings, host);
                Stages.ignore(
                        "a temporary key store", opened.whenCompleteAsync((done, failure) -> own.delete(), host.io()));
                CompletableFuture<Boolean> adopted = new CompletableFuture<>();
                Watcher events = event -> {
                    adopted.join(); // for as long as the constructor takes that has started this thread
                    host.post(() -> onEvent(event));
                };
                KeeperClient begun =
                        new KeeperClient(settings, terms.timeoutMillis, events, ClientConfig.of(settings, own));
                clients.add(begun);
                host.post(() -> adopt(begun));
                adopted.complete(true);
            } catch (IOException | RuntimeException unusable) {
                host.post(() -> end(misconfigured(unusable)));
            }
        });
    }

    private BackendException misconfigured(Exception failure) {
        return failure instanceof BackendException known
                ? known
                : new BackendException(
                        Effect.NONE,
                        Kind.MISCONFIGURED,
                        "ZooKeeper's client cannot work with " + settings.servers() + ": " + failure.getMessage(),
                        failure);
    }

    private void adopt(KeeperClient begun) {
        client = Optional.of(begun);
        if (over) {
            leave();
        }
    }

    private void onEvent(WatchedEvent event) {
        if (over || event.getType() != EventType.None) {
            return;
        }
        KeeperState state = event.getState();
        if (state == (opened.isDone() ? KeeperState.SyncConnected : connectedState)) {
            connected(client.orElseThrow());
        } else if (state == KeeperState.Expired) {
            end(BackendException.unreachable(
                    "ZooKeeper has ended the session: it was silent for its timeout, or was closed by hand"));
        } else if (state == KeeperState.AuthFailed) {
            end(ZooKeeperError.of(Code.AUTHFAILED, settings.paths().base(), settings));
        }
    }

    private void connected(KeeperClient connected) {
        if (opened.isDone()) {
            if (connected.getSessionId() == sessionId) {
                listener.ifPresent(Listener::reconnected);
            } else {
                end(BackendException.unreachable(
                        "ZooKeeper has accepted the client under another session: this one is forgotten"));
            }
            return;
        }
        openTimer.cancel();
        sessionId = connected.getSessionId();
        timeoutMillis = connected.getSessionTimeout();
        opened.complete(this);
    }

    private void giveUp(Duration within) {
        if (opened.isDone() || over) {
            return;
        }
        host.io().execute(() -> {
            String found = ConnectionDiagnosis.of(settings);
            host.post(() -> {
                if (!opened.isDone()) {
                    end(BackendException.unreachable("no server of ZooKeeper at " + settings.servers()
                            + " let this client in within " + within.toMillis() + " ms: " + found));
                }
            });
        });
    }

    private void end(BackendException why) {
        if (over) {
            return;
        }
        over = true;
        openTimer.cancel();
        leave();
        if (!opened.completeExceptionally(why)) {
            end = Optional.of(why);
            listener.ifPresent(one -> one.ended(String.valueOf(why.getMessage())));
        }
    }

    /** @throws BackendException if the session has ended already */
    public void listen(Listener one) {
        if (end.isPresent()) {
            throw end.get();
        }
        listener = Optional.of(one);
    }

    private void leave() {
        client.ifPresent(leaving -> host.io().execute(leaving::leave));
    }

    public ZooKeeperCalls calls() {
        return new ZooKeeperCalls(client.orElseThrow(), host, settings);
    }

    public long sessionId() {
        return sessionId;
    }

    /** When the session was asked for, at the earliest. */
    public long begunNanos() {
        return begunNanos;
    }

    /** What the servers have granted. */
    public int timeoutMillis() {
        return timeoutMillis;
    }

    /** Nothing is answered on this connection: try another server. */
    public void reconnect() {
        if (over) {
            return;
        }
        host.io().execute(() -> {
            try {
                client.orElseThrow().reconnect();
            } catch (IOException failure) {
                LOG.log(Level.DEBUG, "the connection was broken already", failure);
            }
        });
    }

    /** Ends the session at the servers, which removes its latches at once. */
    public CompletableFuture<Boolean> close() {
        if (closing.isEmpty()) {
            closing = Optional.of(over ? CompletableFuture.completedFuture(true) : closeSession());
        }
        return closing.get();
    }

    private CompletableFuture<Boolean> closeSession() {
        over = true;
        CompletableFuture<Boolean> answered = new CompletableFuture<>();
        KeeperClient ending = client.orElseThrow();
        if (ending.getState().isConnected()) {
            ending.closeSession((rc, path, context) -> host.post(() -> answered.complete(rc == Code.OK.intValue())));
        } else {
            answered.complete(false);
        }
        return answered.thenCompose(acknowledged -> {
            leave();
            return acknowledged
                    ? CompletableFuture.completedFuture(true)
                    : CompletableFuture.failedFuture(BackendException.unknown(
                            "ZooKeeper did not acknowledge the end of the session: it lapses within " + timeoutMillis
                                    + " ms"));
        });
    }

    /** Every client of one backend that may have threads, so that closing the backend ends them all. Any thread. */
    public static final class ClientRegistry {
        private final Set<KeeperClient> all = ConcurrentHashMap.newKeySet();
        private volatile boolean closed;

        void add(KeeperClient client) {
            all.removeIf(past -> !past.getState().isAlive());
            all.add(client);
            if (closed) {
                client.leave();
            }
        }

        /** Sends nothing to the servers: sessions lapse in their own time, with everything they hold. */
        public void close() {
            closed = true;
            all.forEach(KeeperClient::leave);
            all.clear();
        }
    }
}
