package dev.tenure.zookeeper;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.TlsFiles;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.Event;
import dev.tenure.zookeeper.wire.Reply;
import dev.tenure.zookeeper.wire.Server;
import dev.tenure.zookeeper.wire.Setup;
import dev.tenure.zookeeper.wire.Wire;
import dev.tenure.zookeeper.wire.WireListener;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One session at ZooKeeper's servers, from the first attempt to connect until its end. Loop-confined, but for what is said
 * to run elsewhere.
 *
 * <p>The end of a session is the servers' word, never a guess: a client that is cut off hears nothing, and the engine's own
 * deadline is what ends its terms. A server that answers under another session id has forgotten this one, which is the end of it too.
 */
final class Connection {
    /** Who wants to know how it goes. */
    interface Listener {
        /** Connected anew, with the same session: notifications may have been missed. */
        void reconnected();

        /** The servers have ended the session, or will not let it in. */
        void ended(String why);

        /** Something happened to a znode that was watched by {@link Calls#watch}. Runs on the thread that hears it. */
        default void happened(Event event) {}
    }

    private final Settings settings;
    private final Host host;
    private final Listener listener;
    private final CompletableFuture<Connection> opened = new CompletableFuture<>();
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
    }

    /** @param wires where the client stays known for as long as it is connected */
    static CompletableFuture<Connection> open(
            Settings settings, Host host, Wires wires, Terms terms, Listener listener) {
        Connection connection = new Connection(settings, host, listener);
        connection.begin(wires, terms);
        return connection.opened;
    }

    /** What to ask the servers for, and how long to wait for the first answer. */
    record Terms(int timeoutMillis, Duration within) {}

    private void begin(Wires wires, Terms terms) {
        patience = host.wakeAt(host.nanos() + terms.within.toNanos(), () -> giveUp(terms.within));
        host.io().execute(() -> {
            try {
                Setup setup = setup(wires, terms); // reads files
                host.post(() -> adopt(wires, setup));
            } catch (RuntimeException unusable) {
                host.post(() -> refuse(misconfigured(unusable)));
            }
        });
    }

    private Setup setup(Wires wires, Terms terms) {
        return new Setup(
                settings.servers().stream().map(Server::of).toList(),
                settings.tls().map(TlsFiles::context),
                settings.login().credentials(),
                terms.timeoutMillis,
                wires.reactor(host.io()),
                host.io(),
                (delay, event) -> host.post(() -> host.wakeAt(host.nanos() + delay.toNanos(), event)),
                host::nanos,
                host::random);
    }

    private BackendException misconfigured(RuntimeException failure) {
        return failure instanceof BackendException known
                ? known
                : new BackendException(
                        Effect.NONE,
                        Kind.MISCONFIGURED,
                        "ZooKeeper at " + settings.connectString() + " cannot be spoken to: " + failure.getMessage(),
                        failure);
    }

    private void adopt(Wires wires, Setup setup) {
        if (over) {
            return;
        }
        Wire begun = Wire.begin(setup, new FromWire());
        wire = Optional.of(begun);
        wires.add(begun);
    }

    /** Runs wherever it is heard. */
    private final class FromWire implements WireListener {
        @Override
        public void connected() {
            host.post(Connection.this::connected);
        }

        @Override
        public void expired() {
            host.post(() -> refuseOrEnd(new BackendException(
                    Effect.NONE,
                    Kind.UNREACHABLE,
                    "ZooKeeper has ended the session: it was silent for its timeout, or was closed by hand")));
        }

        @Override
        public void notBelieved() {
            host.post(() -> refuseOrEnd(
                    StoreFailure.of(Code.AUTHFAILED, settings.layout().base(), settings)));
        }

        @Override
        public void happened(Event event) {
            listener.happened(event);
        }
    }

    private void connected() {
        if (over) {
            return;
        }
        if (opened.isDone()) {
            listener.reconnected();
        } else {
            patience.cancel();
            sessionId = wire.orElseThrow().sessionId();
            timeoutMillis = wire.orElseThrow().timeoutMillis();
            opened.complete(this);
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
            String found = Probe.of(settings, wire.map(Wire::troubles).orElseGet(List::of));
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
        wire.ifPresent(Wire::vanish);
    }

    private void ended(String why) {
        if (over) {
            return;
        }
        over = true;
        wire.ifPresent(Wire::vanish);
        listener.ended(why);
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
        if (!over) {
            wire.orElseThrow().turnToAnother();
        }
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
        wire.orElseThrow()
                .close(Reply.of(
                        done -> host.post(() -> closed.complete(true)),
                        code -> host.post(() -> closed.completeExceptionally(notTold()))));
        return closed;
    }

    private BackendException notTold() {
        return new BackendException(
                Effect.UNKNOWN,
                Kind.UNREACHABLE,
                "ZooKeeper could not be told that the session is over: it lapses within " + timeoutMillis + " ms");
    }
}
