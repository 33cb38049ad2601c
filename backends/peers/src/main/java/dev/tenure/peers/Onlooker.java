package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.peers.PeerMessage.Answer;
import dev.tenure.peers.PeerMessage.Question;
import dev.tenure.spi.Host;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Somebody who belongs to no group and asks its members: who leads, step down. It never stands and never votes. */
final class Onlooker implements Circle {
    private final PeersSettings settings;
    private final Host host;
    private final Outbox outbox;
    private final Rounds rounds;
    private final List<Consumer<ElectionName>> watchers = new CopyOnWriteArrayList<>();
    private boolean closed;

    Onlooker(PeersSettings settings, Host host) {
        this.settings = settings;
        this.host = host;
        this.outbox = new Outbox(host);
        this.rounds =
                new Rounds(host, outbox, 2 * settings.profile().electionMin().toNanos());
    }

    /** Members close a connection that is silent. */
    void start() {
        outbox.sendAll(new PeerMessage.Beat());
        host.wakeAt(host.nanos() + settings.profile().heartbeat().toNanos(), () -> {
            if (!closed) {
                start();
            }
        });
    }

    @Override
    public CompletableFuture<Map<Integer, List<Answer>>> ask(
            Question question, Predicate<Map<Integer, List<Answer>>> enough) {
        return closed
                ? CompletableFuture.failedFuture(Trouble.closed())
                : rounds.ask(id -> new PeerMessage.Ask(id, question), enough);
    }

    @Override
    public boolean suffices(Map<Integer, List<Answer>> answered) {
        int needed = settings.rules().hasTerms()
                ? settings.membership().majority()
                : outbox.reached().size();
        return !answered.isEmpty() && answered.size() >= needed;
    }

    @Override
    public void watch(Consumer<ElectionName> watcher) {
        watchers.add(watcher);
    }

    @Override
    public void unwatch(Consumer<ElectionName> watcher) {
        watchers.remove(watcher);
    }

    @Override
    public void linked(PeerConnection connection, long theirBase) {
        connection.peer().ifPresent(peer -> {
            outbox.linked(peer.id(), connection);
            rounds.linked(peer.id());
        });
    }

    @Override
    public void unlinked(PeerConnection connection) {
        connection.peer().ifPresent(peer -> outbox.unlinked(peer.id(), connection));
    }

    @Override
    public void received(PeerConnection connection, List<PeerMessage> items) {
        connection
                .peer()
                .ifPresent(peer -> items.forEach(item -> {
                    if (item instanceof PeerMessage.Told told) {
                        rounds.told(peer.id(), told);
                    } else if (item instanceof PeerMessage.Changed changed) {
                        watchers.forEach(watcher -> watcher.accept(changed.election()));
                    }
                }));
    }

    @Override
    public void close() {
        closed = true;
        rounds.close();
    }
}
