package dev.tenure.peers;

import dev.tenure.spi.BackendSession;
import dev.tenure.spi.Host;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.StoreEra;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** This process in its group: what happens on the loop, and the connections to the others. */
final class Group implements AutoCloseable {
    private static final Duration OPEN_WITHIN = Duration.ofMillis(1500);

    private final PeersSettings settings;
    private final Host host;
    private final Circle circle;
    private final Optional<Member> member;
    private final PeerConnections connections;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Group(PeersSettings settings, Host host, Optional<Journal> journal) {
        this.settings = settings;
        this.host = host;
        this.member = journal.map(votes -> new Member(settings, host, votes));
        Onlooker onlooker = new Onlooker(settings, host);
        this.circle = member.<Circle>map(one -> one).orElse(onlooker);
        long base = journal.map(Journal::base).orElse(0L);
        this.connections = new PeerConnections(settings, new Handshake(settings, host, base), host, new Ear());
        host.post(() -> member.ifPresentOrElse(Member::start, onlooker::start));
        connections.start();
    }

    static Group join(PeersSettings settings, Host host) {
        Optional<Journal> journal = settings.data()
                .map(directory -> JournalFile.open(
                        directory,
                        "member " + settings.membership().self().name() + " of "
                                + settings.membership().names() + " ("
                                + settings.rules().spelling() + ")",
                        host.wallMillis()))
                .map(file -> Journal.open(file, host));
        try {
            return new Group(settings, host, journal);
        } catch (RuntimeException refused) {
            journal.ifPresent(Journal::close);
            throw refused;
        }
    }

    /** Lines have threads of their own; what they bring is handled on the loop, in their order. */
    private final class Ear implements PeerConnection.Listener {
        @Override
        public void linked(PeerConnection connection, long base) {
            host.post(() -> circle.linked(connection, base));
        }

        @Override
        public void received(PeerConnection connection, List<PeerMessage> items) {
            host.post(() -> circle.received(connection, items));
        }

        @Override
        public void unlinked(PeerConnection connection) {
            host.post(() -> circle.unlinked(connection));
        }
    }

    <T> CompletableFuture<T> turn(Supplier<CompletableFuture<T>> call) {
        return Turn.on(host, call);
    }

    Circle circle() {
        return circle;
    }

    Optional<Member> member() {
        return member;
    }

    PeerConnections connections() {
        return connections;
    }

    /** Made of what cannot change: another list of members is another group. */
    String storeId() {
        return "peers-" + Integer.toHexString(settings.agreement().hashCode());
    }

    BackendSession open(SessionEvents events, StoreEra era) {
        String id = settings.membership().self().name() + "-" + Long.toHexString(host.random());
        PeersSession session = new PeersSession(id, member.orElseThrow(), events, era);
        session.begin();
        return session;
    }

    /** Before core gives up by itself, which knows of no reason. */
    <T> CompletableFuture<T> soon(CompletableFuture<T> answer) {
        host.wakeAt(
                host.nanos() + OPEN_WITHIN.toNanos(), () -> answer.completeExceptionally(new Trouble.Unanswered(0)));
        return answer;
    }

    /** Which members cannot be reached, and why. */
    String missing() {
        List<String> sentences = new ArrayList<>();
        for (Membership.Peer peer : settings.membership().others()) {
            connections.trouble(peer).ifPresent(why -> sentences.add(peer + ": " + why));
        }
        return sentences.isEmpty() ? "the others do not answer" : String.join("; ", sentences);
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            connections.close();
            host.post(circle::close);
        }
    }
}
