package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.detector.Heartbeat;
import dev.tenure.algorithms.detector.HeartbeatDetector;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.peers.PeerMessage.Answer;
import dev.tenure.peers.PeerMessage.Question;
import dev.tenure.spi.Host;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** This process as one of its group: it votes in every election that it hears of, and stands where somebody here wants to lead. */
final class Member extends PeerObserver {
    /** More are not heard of: whoever knows the secret could fill the memory with names. */
    static final int CONTESTS_MAX = 20_000;

    private static final String BEAT = "beat";

    final Journal journal;
    final long startNanos;
    final Map<ElectionName, Contest> contests = new HashMap<>();
    private final Set<PeerConnection> guests = new HashSet<>();
    /** Whom the failure detector does not hear. */
    final Set<Integer> suspected = new HashSet<>();

    private final Rules.Running<HeartbeatDetector.State> detector;
    private long base;

    Member(PeersSettings settings, Host host, Journal journal) {
        super(settings, host);
        this.journal = journal;
        this.startNanos = host.nanos();
        this.base = journal.base();
        this.detector = new Rules.Running<>(new HeartbeatDetector(
                settings.membership().group(),
                settings.profile().heartbeat(),
                settings.profile().electionMin()));
    }

    @Override
    void start() {
        journal.ballots().keySet().forEach(this::contest);
        watchPeers(new Event.Started(Optional.empty()));
    }

    boolean reachesMajority() {
        return connections.size() + 1 >= settings.membership().majority();
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

    FencingToken token(Contest contest) {
        int era = journal.era();
        if (settings.rules().hasTerms()) {
            return FencingToken.of(era, contest.lead().orElseThrow().term());
        }
        long last = contest.holding().map(held -> held.token().sequence()).orElse(0L);
        return FencingToken.of(era, Math.max(last + 1, host.wallMillis()));
    }

    // --- questions to the group, and from it

    @Override
    void answerSelf(Question question, Round round) {
        answer(question, answer -> round.told(me(), answer));
    }

    private int me() {
        return settings.membership().self().id();
    }

    /** Tells the group of a holding, until a majority keeps it. */
    CompletableFuture<Answers> put(Holding holding) {
        return put(holding, this::suffices).answered();
    }

    /**
     * The same for one that has ended: everybody who can be reached shall know it, so that whoever asks next is not told to wait for it. Who
     * does not answer for a heartbeat is not waited for.
     */
    CompletableFuture<Answers> putToAll(Holding holding) {
        long untilNanos = host.nanos() + settings.profile().heartbeat().toNanos();
        Round all = put(
                holding,
                answered ->
                        suffices(answered) && (answered.members() > connections.size() || host.nanos() >= untilNanos));
        host.wakeAt(untilNanos, all::settle);
        return all.answered();
    }

    private Round put(Holding holding, Predicate<Answers> enough) {
        Round round = begin(id -> new PeerMessage.Put(id, holding), enough);
        round.told(me(), new Answer.EraIs(journal.era()));
        return round;
    }

    private void answer(Question question, Consumer<Answer> say) {
        if (question instanceof Question.Look look) {
            Optional.ofNullable(contests.get(look.election())).ifPresent(contest -> show(contest, say));
            say.accept(new Answer.Seen());
        } else if (question instanceof Question.LookAll) {
            contests.values().forEach(contest -> show(contest, say));
            say.accept(new Answer.Seen());
        } else if (question instanceof Question.Era era && era.atLeast() > journal.era()) {
            journal.raiseEra(era.atLeast(), () -> say.accept(new Answer.EraIs(journal.era())));
        } else if (question instanceof Question.Era) {
            say.accept(new Answer.EraIs(journal.era()));
        } else if (question instanceof Question.Deliver deliver) {
            Optional<PeersSession> holder = Optional.ofNullable(
                            contests.get(deliver.request().election()))
                    .flatMap(contest -> contest.seat.holder());
            holder.ifPresent(session -> session.deliver(deliver.request()));
            say.accept(new Answer.Delivered(holder.isPresent()));
        }
    }

    private static void show(Contest contest, Consumer<Answer> say) {
        contest.holding()
                .ifPresent(holding -> say.accept(new Answer.Sight(
                        holding, contest.alive().filter(holding::equals).isPresent())));
    }

    // --- connections

    @Override
    void linked(PeerConnection connection, long theirBase) {
        if (connection.peer().isEmpty()) {
            guests.add(connection);
            return;
        }
        int peer = connection.peer().get().id();
        base = Math.max(base, theirBase);
        connections.put(peer, connection);
        for (Contest contest : contests.values()) {
            contest.stands(peer, false);
            if (contest.isStanding()) {
                connection.send(new PeerMessage.Stands(contest.election, true));
            }
            contest.alive()
                    .filter(holding -> holding.member() == me())
                    .ifPresent(holding -> connection.send(new PeerMessage.Put(0, holding)));
        }
        super.linked(connection, theirBase); // asks what is open, of one that knows all this
    }

    @Override
    void unlinked(PeerConnection connection) {
        guests.remove(connection);
        super.unlinked(connection);
    }

    @Override
    void received(PeerConnection connection, PeerMessage message) {
        if (closed) {
            return;
        }
        if (message instanceof PeerMessage.Ask ask) {
            answer(ask.question(), answer -> connection.send(new PeerMessage.Told(ask.id(), answer)));
        }
        // Who only looks can only ask; and what comes late over a connection that was replaced is not heard.
        connection
                .peer()
                .filter(peer -> connections.get(peer.id()) == connection)
                .ifPresent(peer -> {
                    // Whatever is heard is a sign of life: a leader that was suspected before it was heard must be
                    // missed when
                    // it falls silent.
                    watchPeers(new Event.Received(peer.id(), new Heartbeat()));
                    received(connection, peer.id(), message);
                });
    }

    private void received(PeerConnection connection, int peer, PeerMessage message) {
        if (message instanceof PeerMessage.Said said) {
            contest(said.election()).ifPresent(contest -> contest.received(peer, said.message()));
        } else if (message instanceof PeerMessage.Stands stands) {
            contest(stands.election()).ifPresent(contest -> contest.stands(peer, stands.yes()));
        } else if (message instanceof PeerMessage.YourTurn turn) {
            contest(turn.election()).ifPresent(contest -> contest.takeTurn(peer, turn.term()));
        } else if (message instanceof PeerMessage.Put put) {
            contest(put.holding().election()).ifPresent(contest -> contest.keep(put.holding()));
            connection.send(new PeerMessage.Told(put.id(), new Answer.EraIs(journal.era())));
        } else {
            super.received(connection, message);
        }
    }

    /** Runs the failure detector, whose heartbeats also keep the connections alive. */
    private void watchPeers(Event event) {
        for (Effect effect : detector.on(event, host.nanos())) {
            if (effect instanceof Effect.Send send) {
                send(send.to(), new PeerMessage.Beat());
            } else if (effect instanceof Effect.SetTimer) {
                guests.forEach(guest -> guest.send(new PeerMessage.Beat()));
                host.wakeAt(host.nanos() + settings.profile().heartbeat().toNanos(), () -> {
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

    @Override
    void changed(ElectionName election) {
        super.changed(election);
        guests.forEach(guest -> guest.send(new PeerMessage.Changed(election)));
    }

    @Override
    void close() {
        contests.values().forEach(Contest::close);
        super.close();
        journal.close();
    }
}
