package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.wire.Event;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The connection of those who look and do not stand: made at the first use, and made anew when its session has ended. It
 * carries no latch, so nothing depends on its life. Loop-confined.
 */
final class Lookout {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final Duration WITHIN = Duration.ofSeconds(3);

    private final Settings settings;
    private final Host host;
    private final Wires wires;
    private final Set<Hint> hints = new LinkedHashSet<>();
    private Optional<CompletableFuture<Calls>> current = Optional.empty();

    Lookout(Settings settings, Host host, Wires wires) {
        this.settings = settings;
        this.host = host;
        this.wires = wires;
    }

    /** Whoever wants hints; each time they ask is a time of its own. */
    private static final class Hint {
        private final Consumer<ElectionName> changed;
        private volatile boolean closed;

        Hint(Consumer<ElectionName> changed) {
            this.changed = changed;
        }

        void tell(ElectionName election) {
            if (!closed) {
                changed.accept(election);
            }
        }
    }

    CompletableFuture<Calls> calls() {
        if (wires.isClosed()) {
            return CompletableFuture.failedFuture(
                    new BackendException(Effect.NONE, Kind.UNREACHABLE, "this client of ZooKeeper is closed"));
        }
        return current.orElseGet(this::connect);
    }

    private CompletableFuture<Calls> connect() {
        Life life = new Life();
        Connection.Terms terms = new Connection.Terms(TIMEOUT_MILLIS, WITHIN);
        CompletableFuture<Calls> connecting =
                Connection.open(settings, host, wires, terms, life).thenApply(Connection::calls);
        life.calls = Optional.of(connecting);
        current = life.calls;
        Stages.ignore("a call that nobody waits for", connecting.whenComplete((calls, failure) -> {
            if (failure != null) {
                life.ended("it never began");
            } else if (!hints.isEmpty()) {
                watch(calls);
            }
        }));
        return connecting;
    }

    /** One connection's life; what an older one tells does not concern the newer. */
    private final class Life implements Connection.Listener {
        private Optional<CompletableFuture<Calls>> calls = Optional.empty();

        @Override
        public void reconnected() {
            if (!hints.isEmpty()) {
                Stages.ignore(
                        "a call that nobody waits for", calls.orElseThrow().thenAccept(Lookout.this::hintAtAll));
            }
        }

        @Override
        public void ended(String why) {
            if (current.equals(calls)) {
                current = Optional.empty();
            }
        }
    }

    Watch watch(Consumer<ElectionName> changed) {
        Hint hint = new Hint(changed);
        boolean first = hints.isEmpty();
        hints.add(hint);
        Optional<CompletableFuture<Calls>> connected = current;
        if (connected.isEmpty()) {
            Stages.ignore("a call that nobody waits for", calls());
        } else if (first) {
            Stages.ignore("a call that nobody waits for", connected.get().thenAccept(this::watch));
        }
        return () -> {
            hint.closed = true;
            host.post(() -> hints.remove(hint));
        };
    }

    private void watch(Calls calls) {
        Stages.ignore(
                "a call that nobody waits for", calls.watchAll(settings.layout().elections(), this::onEvent));
    }

    private void onEvent(Event event) {
        host.post(() -> settings.layout().electionAt(event.path()).ifPresent(this::hintAt));
    }

    /** ZooKeeper does not make up for what a watch of this kind has missed. */
    private void hintAtAll(Calls calls) {
        String elections = settings.layout().elections();
        Stages.ignore(
                "a call that nobody waits for",
                calls.children(elections)
                        .thenAccept(names -> names.forEach(name -> settings.layout()
                                .electionAt(Layout.child(elections, name))
                                .ifPresent(this::hintAt))));
    }

    private void hintAt(ElectionName election) {
        List.copyOf(hints).forEach(hint -> hint.tell(election));
    }
}
