package dev.tenure.zookeeper;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;

/**
 * One session at ZooKeeper's servers, from the first attempt to connect until its end. Loop-confined, but for what is said
 * to run elsewhere.
 *
 * <p>The end of a session is the servers' word, never a guess: a client that is cut off hears nothing, and the engine's own
 * deadline is what ends its terms. A server that answers under another session id has forgotten this one, which is the end of it too.
 */
final class Connection {
    private static final Logger LOG = System.getLogger("dev.tenure");

    /** Who wants to know how it goes. */
    interface Listener {
        /** Connected anew, with the same session: notifications may have been missed. */
        void reconnected();

        /** The servers have ended the session, or will not let it in. */
        void ended(String why);
    }

    private final Settings settings;
    private final Host host;
    private final Listener listener;
    /** Connected, and with SASL also believed: what is asked before that is refused or lost with the connection. */
    private final KeeperState letIn;

    private final CompletableFuture<Connection> opened = new CompletableFuture<>();
    private final List<WatchedEvent> early = new ArrayList<>();
    private Optional<Wire> wire = Optional.empty();
    private Optional<CompletableFuture<Boolean>> closing = Optional.empty();
    private Host.Timer patience = () -> {};
    private long sessionId;
    private int timeoutMillis;
    private boolean over;

    private Connection(Settings settings, Host host, Listener listener) {
        this.settings = settings;
        this.host = host;
        this.listener = listener;
        this.letIn = settings.login() instanceof Login.Sasl ? KeeperState.SaslAuthenticated : KeeperState.SyncConnected;
    }

    /** @param wires where the client stays known for as long as it has threads */
    static CompletableFuture<Connection> open(
            Settings settings, Host host, Wires wires, Terms terms, Listener listener) {
        Connection connection = new Connection(settings, host, listener);
        connection.begin(wires, terms);
        return connection.opened;
    }

    /** What to ask the servers for, and how long to wait for the first answer. */
    record Terms(int timeoutMillis, Duration within) {}

    private void begin(Wires wires, Terms terms) {
        host.io().execute(() -> {
            try {
                Wire begun = Wire.begin(settings, terms.timeoutMillis, event -> host.post(() -> on(event)));
                wires.add(begun);
                host.post(() -> adopt(begun));
            } catch (IOException | RuntimeException failure) {
                host.post(() -> refuse(new BackendException(
                        Effect.NONE,
                        Kind.MISCONFIGURED,
                        "ZooKeeper's client cannot work with " + settings.connectString() + ": " + failure.getMessage(),
                        failure)));
            }
        });
        patience = host.wakeAt(host.nanos() + terms.within.toNanos(), () -> giveUp(terms.within));
    }

    private void adopt(Wire begun) {
        wire = Optional.of(begun);
        if (over) {
            end(begun);
            return;
        }
        List.copyOf(early).forEach(this::on);
        early.clear();
    }

    private void on(WatchedEvent event) {
        if (over || event.getType() != EventType.None) {
            return;
        }
        if (wire.isEmpty()) {
            early.add(event);
            return;
        }
        KeeperState state = event.getState();
        if (state == (opened.isDone() ? KeeperState.SyncConnected : letIn)) {
            connected(wire.get());
        } else if (state == KeeperState.Expired) {
            ended("ZooKeeper has ended the session: it was silent for its timeout, or was closed by hand");
        } else if (state == KeeperState.AuthFailed) {
            refuseOrEnd(StoreFailure.of(Code.AUTHFAILED, settings.layout().base(), settings));
        }
    }

    private void connected(Wire connected) {
        if (!opened.isDone()) {
            patience.cancel();
            sessionId = connected.getSessionId();
            timeoutMillis = connected.getSessionTimeout();
            opened.complete(this);
        } else if (connected.getSessionId() != sessionId) {
            ended("ZooKeeper has let the client in under another session: this one is forgotten");
        } else {
            listener.reconnected();
        }
    }

    private void refuseOrEnd(BackendException why) {
        if (opened.isDone()) {
            ended(String.valueOf(why.getMessage()));
        } else {
            refuse(why);
        }
    }

    private void giveUp(Duration within) {
        if (opened.isDone() || over) {
            return;
        }
        host.io().execute(() -> {
            String found = Probe.of(settings);
            host.post(() -> refuse(new BackendException(
                    Effect.NONE,
                    Kind.UNREACHABLE,
                    "no server of ZooKeeper at " + settings.connectString() + " let this client in within "
                            + within.toMillis() + " ms: " + found)));
        });
    }

    private void refuse(BackendException why) {
        if (opened.isDone()) {
            return;
        }
        over = true;
        patience.cancel();
        opened.completeExceptionally(why);
        wire.ifPresent(this::end);
    }

    private void ended(String why) {
        if (over) {
            return;
        }
        over = true;
        wire.ifPresent(this::end);
        listener.ended(why);
    }

    private void end(Wire ending) {
        host.io().execute(ending::vanish);
    }

    Calls calls() {
        return new Calls(wire.orElseThrow(), host, settings);
    }

    long sessionId() {
        return sessionId;
    }

    int timeoutMillis() {
        return timeoutMillis;
    }

    boolean isOver() {
        return over;
    }

    /** Nothing is answered on this connection: try another server. */
    void turnToAnother() {
        if (over) {
            return;
        }
        host.io().execute(() -> {
            try {
                wire.orElseThrow().turnToAnother();
            } catch (IOException failure) {
                LOG.log(Level.DEBUG, "the connection was broken already", failure);
            }
        });
    }

    /** Ends the session at the servers, which removes its latches at once. */
    CompletableFuture<Boolean> close() {
        if (closing.isPresent()) {
            return closing.get();
        }
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        closing = Optional.of(closed);
        if (over) {
            closed.complete(true);
            return closed;
        }
        over = true;
        Wire ending = wire.orElseThrow();
        host.io().execute(() -> {
            boolean connected = ending.getState().isConnected();
            try {
                ending.close();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                connected = false;
            }
            boolean told = connected;
            host.post(() -> {
                if (told) {
                    closed.complete(true);
                } else {
                    closed.completeExceptionally(new BackendException(
                            Effect.UNKNOWN,
                            Kind.UNREACHABLE,
                            "ZooKeeper could not be told that the session is over: it lapses within " + timeoutMillis
                                    + " ms"));
                }
            });
        });
        return closed;
    }
}
