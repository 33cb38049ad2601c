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

/** This process in its group: what happens on the loop, and the lines to the others. */
final class Group implements AutoCloseable {
    private static final Duration OPEN_WITHIN = Duration.ofMillis(1500);

    private final PeersSettings settings;
    private final Host host;
    private final Circle circle;
    private final Optional<Member> member;
    private final Network network;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Group(PeersSettings settings, Host host, Optional<Journal> journal) {
        this.settings = settings;
        this.host = host;
        this.member = journal.map(votes -> new Member(settings, host, votes));
        Onlooker onlooker = new Onlooker(settings, host);
        this.circle = member.<Circle>map(one -> one).orElse(onlooker);
        long base = journal.map(Journal::base).orElse(0L);
        this.network = new Network(settings, new Introduction(settings, host, base), host, new Ear());
        host.post(() -> member.ifPresentOrElse(Member::start, onlooker::start));
        network.start();
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
    private final class Ear implements Line.Listener {
        @Override
        public void linked(Line line, long base) {
            host.post(() -> circle.linked(line, base));
        }

        @Override
        public void received(Line line, List<Item> items) {
            host.post(() -> circle.received(line, items));
        }

        @Override
        public void unlinked(Line line) {
            host.post(() -> circle.unlinked(line));
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

    Network network() {
        return network;
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
            network.trouble(peer).ifPresent(why -> sentences.add(peer + ": " + why));
        }
        return sentences.isEmpty() ? "the others do not answer" : String.join("; ", sentences);
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            network.close();
            host.post(circle::close);
        }
    }
}
