package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.detector.Heartbeat;
import dev.tenure.algorithms.detector.HeartbeatDetector;
import dev.tenure.peers.PeerMessage.Answer;
import dev.tenure.peers.PeerMessage.Question;
import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * This process as one of its group: it votes in every election that it hears of, and stands where somebody here wants to lead. Everything
 * here happens on the loop.
 */
final class Member implements Circle {
    /** More are not heard of: whoever knows the secret could fill the memory with names. */
    static final int CONTESTS_MAX = 20_000;

    private static final String BEAT = "beat";
    private static final Logger LOG = System.getLogger("dev.tenure.peers");

    private final PeersSettings settings;
    private final Host host;
    private final Journal journal;
    private final Outbox outbox;
    private final Rounds rounds;
    private final Answers answers;
    private final long startNanos;
    private final Map<ElectionName, Contest> contests = new HashMap<>();
    private final List<Consumer<ElectionName>> watchers = new CopyOnWriteArrayList<>();
    private final Set<PeerConnection> guests = new HashSet<>();
    private final Set<Integer> suspected = new HashSet<>();
    private final Rules.Running<HeartbeatDetector.State> detector;
    private long base;
    private boolean closed;

    Member(PeersSettings settings, Host host, Journal journal) {
        this.settings = settings;
        this.host = host;
        this.journal = journal;
        this.outbox = new Outbox(host);
        this.rounds =
                new Rounds(host, outbox, 2 * settings.profile().electionMin().toNanos());
        this.answers = new Answers(this);
        this.startNanos = host.nanos();
        this.base = journal.base();
        this.detector = new Rules.Running<>(new HeartbeatDetector(
                settings.membership().group(),
                settings.profile().heartbeat(),
                settings.profile().electionMin()));
    }

    void start() {
        journal.ballots().keySet().forEach(this::contest);
        watchPeers(new Event.Started(Optional.empty()));
    }

    PeersSettings settings() {
        return settings;
    }

    Host host() {
        return host;
    }

    Journal journal() {
        return journal;
    }

    Outbox outbox() {
        return outbox;
    }

    long startNanos() {
        return startNanos;
    }

    /** Leaders beat at the same instants, so that the heartbeats of all elections are said in one breath. */
    long nextBeat(long nowNanos) {
        long everyNanos = settings.profile().heartbeat().toNanos();
        return nowNanos + everyNanos - Math.floorMod(nowNanos - startNanos, everyNanos);
    }

    /** Whom the failure detector does not hear. */
    Set<Integer> suspected() {
        return suspected;
    }

    boolean reachesMajority() {
        return outbox.reached().size() + 1 >= settings.membership().majority();
    }

    Map<ElectionName, Contest> contests() {
        return contests;
    }

    /** The contest of this election, made if there is none; nothing, if there are too many already. */
    Optional<Contest> contest(ElectionName election) {
        Contest known = contests.get(election);
        if (known != null) {
            return Optional.of(known);
        }
        if (closed || contests.size() >= CONTESTS_MAX) {
            return Optional.empty();
        }
        Contest made = new Contest(election, this);
        contests.put(election, made);
        made.start(journal.ballot(election).orElse(new Ballot(base, Optional.empty())));
        return Optional.of(made);
    }

    FencingToken token(Contest contest, int era) {
        if (settings.rules().hasTerms()) {
            return FencingToken.of(era, contest.lead().orElseThrow().term());
        }
        long last = contest.holding().map(held -> held.token().sequence()).orElse(0L);
        return FencingToken.of(era, Math.max(last + 1, host.wallMillis()));
    }

    // --- questions to the group

    @Override
    public CompletableFuture<Map<Integer, List<Answer>>> ask(
            Question question, Predicate<Map<Integer, List<Answer>>> enough) {
        if (closed) {
            return CompletableFuture.failedFuture(Trouble.closed());
        }
        CompletableFuture<Map<Integer, List<Answer>>> round =
                rounds.ask(id -> new PeerMessage.Ask(id, question), enough);
        long id = rounds.lastId();
        int me = settings.membership().self().id();
        answers.to(question, answer -> rounds.told(me, new PeerMessage.Told(id, answer)));
        return round;
    }

    @Override
    public boolean suffices(Map<Integer, List<Answer>> answered) {
        int needed = settings.rules().hasTerms()
                ? settings.membership().majority()
                : outbox.reached().size() + 1;
        return answered.size() >= needed;
    }

    /** Tells the group of a holding, until a majority keeps it. */
    CompletableFuture<Map<Integer, List<Answer>>> put(Holding holding) {
        return put(holding, this::suffices);
    }

    /**
     * The same for one that has ended: everybody who can be reached shall know it, so that whoever asks next is not told to wait for it. Who
     * does not answer for a heartbeat is not waited for.
     */
    CompletableFuture<Map<Integer, List<Answer>>> putToAll(Holding holding) {
        CompletableFuture<Map<Integer, List<Answer>>> all = put(
                holding,
                answered ->
                        suffices(answered) && answered.size() > outbox.reached().size());
        long id = rounds.lastId();
        host.wakeAt(host.nanos() + settings.profile().heartbeat().toNanos(), () -> rounds.settle(id, this::suffices));
        return all;
    }

    private CompletableFuture<Map<Integer, List<Answer>>> put(
            Holding holding, Predicate<Map<Integer, List<Answer>>> enough) {
        CompletableFuture<Map<Integer, List<Answer>>> round =
                rounds.ask(id -> new PeerMessage.Put(id, holding), enough);
        rounds.told(
                settings.membership().self().id(),
                new PeerMessage.Told(rounds.lastId(), new Answer.EraIs(journal.era())));
        return round;
    }

    // --- connections

    @Override
    public void linked(PeerConnection connection, long theirBase) {
        if (connection.peer().isEmpty()) {
            guests.add(connection);
            return;
        }
        int peer = connection.peer().get().id();
        base = Math.max(base, theirBase);
        outbox.linked(peer, connection);
        LOG.log(Level.DEBUG, "a connection to member {0}", connection.peer().get());
        contests.values().forEach(contest -> contest.stands(peer, false));
        contests.values().stream()
                .filter(Contest::isStanding)
                .forEach(contest -> outbox.send(peer, new PeerMessage.Stands(contest.election(), true)));
        contests.values().stream()
                .flatMap(contest -> contest.alive().stream())
                .filter(holding -> settings.membership().isMe(holding.member()))
                .forEach(holding -> outbox.send(peer, new PeerMessage.Put(0, holding)));
        rounds.linked(peer);
    }

    @Override
    public void unlinked(PeerConnection connection) {
        guests.remove(connection);
        connection.peer().ifPresent(peer -> {
            if (outbox.unlinked(peer.id(), connection)) {
                LOG.log(Level.DEBUG, "no connection to member {0} any more", peer);
            }
        });
    }

    @Override
    public void received(PeerConnection connection, List<PeerMessage> items) {
        if (closed) {
            return;
        }
        boolean stale = connection.peer().isPresent()
                && !outbox.isUsed(connection.peer().get().id(), connection);
        if (!stale) {
            // Whatever is heard is a sign of life: a leader that was suspected before it was heard must be missed when
            // it falls silent.
            connection.peer().ifPresent(peer -> watchPeers(new Event.Received(peer.id(), new Heartbeat())));
            items.forEach(item -> received(connection, item));
        }
    }

    private void received(PeerConnection connection, PeerMessage item) {
        if (item instanceof PeerMessage.Ask ask) {
            answers.to(ask.question(), answer -> outbox.send(connection, new PeerMessage.Told(ask.id(), answer)));
            return;
        }
        if (connection.peer().isEmpty()) {
            return; // who only looks can only ask
        }
        int peer = connection.peer().get().id();
        if (item instanceof PeerMessage.Said said) {
            contest(said.election()).ifPresent(contest -> contest.received(peer, said.message()));
        } else if (item instanceof PeerMessage.Stands stands) {
            contest(stands.election()).ifPresent(contest -> contest.stands(peer, stands.yes()));
        } else if (item instanceof PeerMessage.YourTurn turn) {
            contest(turn.election()).ifPresent(contest -> contest.takeTurn(peer, turn.term()));
        } else if (item instanceof PeerMessage.Put put) {
            contest(put.holding().election()).ifPresent(contest -> contest.keep(put.holding()));
            outbox.send(connection, new PeerMessage.Told(put.id(), new Answer.EraIs(journal.era())));
        } else if (item instanceof PeerMessage.Told told) {
            rounds.told(peer, told);
        }
    }

    /** Runs the failure detector, whose heartbeats also keep the connections alive. */
    private void watchPeers(Event event) {
        for (Effect effect : detector.on(event, host.nanos())) {
            if (effect instanceof Effect.Send send) {
                outbox.send(send.to(), new PeerMessage.Beat());
            } else if (effect instanceof Effect.SetTimer) {
                guests.forEach(guest -> outbox.send(guest, new PeerMessage.Beat()));
                host.wakeAt(nextBeat(host.nanos()), () -> {
                    if (!closed) {
                        watchPeers(new Event.TimerFired(BEAT));
                    }
                });
            } else if (effect instanceof Effect.Suspect suspect) {
                suspected.add(suspect.peer());
                contests.values().forEach(contest -> contest.heard(suspect.peer(), false));
            } else if (effect instanceof Effect.Trust trust) {
                suspected.remove(trust.peer());
                contests.values().forEach(contest -> contest.heard(trust.peer(), true));
            }
        }
    }

    // --- watchers

    @Override
    public void watch(Consumer<ElectionName> watcher) {
        watchers.add(watcher);
    }

    @Override
    public void unwatch(Consumer<ElectionName> watcher) {
        watchers.remove(watcher);
    }

    void changed(ElectionName election) {
        watchers.forEach(watcher -> watcher.accept(election));
        guests.forEach(guest -> outbox.send(guest, new PeerMessage.Changed(election)));
    }

    @Override
    public void close() {
        closed = true;
        contests.values().forEach(Contest::close);
        rounds.close();
        journal.close();
    }
}
