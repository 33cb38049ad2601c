// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.detector.Heartbeat;
import dev.tenure.algorithms.detector.HeartbeatDetector;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.peers.connection.PeerConnection;
import dev.tenure.peers.connection.PeerMessage;
import dev.tenure.peers.connection.PeerMessage.Answer;
import dev.tenure.peers.connection.PeerMessage.LeaderRecord;
import dev.tenure.peers.connection.PeerMessage.Question;
import dev.tenure.peers.group.AlgorithmAdapter;
import dev.tenure.peers.group.PeersSettings;
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
    private static final String BEAT = "beat";

    final BallotJournal journal;
    final long startNanos;
    final Map<ElectionName, ElectionInstance> instances = new HashMap<>();
    private final Set<PeerConnection> guests = new HashSet<>();
    /** Whom the failure detector does not hear. */
    final Set<Integer> suspected = new HashSet<>();

    private final AlgorithmAdapter.Running<HeartbeatDetector.State> detector;
    private long base;

    Member(PeersSettings settings, Host host, BallotJournal journal) {
        super(settings, host);
        this.journal = journal;
        this.startNanos = host.nanos();
        this.base = journal.base();
        this.detector = new AlgorithmAdapter.Running<>(new HeartbeatDetector(
                settings.membership().group(),
                settings.profile().heartbeat(),
                settings.profile().electionMin()));
    }

    @Override
    void start() {
        journal.ballots().keySet().forEach(this::instance);
        watchPeers(new Event.Started(Optional.empty()));
    }

    boolean reachesMajority() {
        return connections.size() + 1 >= settings.membership().majority();
    }

    /** The instance of this election, made if there is none; nothing, if there are too many already. */
    Optional<ElectionInstance> instance(ElectionName election) {
        ElectionInstance known = instances.get(election);
        if (known != null) {
            return Optional.of(known);
        }
        if (closed || instances.size() >= PeersSettings.ELECTIONS_MAX) {
            return Optional.empty();
        }
        ElectionInstance made = new ElectionInstance(election, this);
        instances.put(election, made);
        made.start(journal.ballot(election).orElse(new Ballot(base, Optional.empty())));
        return Optional.of(made);
    }

    FencingToken token(ElectionInstance instance) {
        int era = journal.era();
        if (settings.rules().hasTerms()) {
            return FencingToken.of(era, instance.lead().orElseThrow().term());
        }
        long last = instance.record().map(held -> held.token().sequence()).orElse(0L);
        return FencingToken.of(era, Math.max(last + 1, host.wallMillis()));
    }

    // --- questions to the group, and from it

    @Override
    void answerSelf(Question question, Round round) {
        answer(question, answer -> round.received(me(), answer));
    }

    int me() {
        return settings.membership().self().id();
    }

    /** Tells the group of a record, until a majority keeps it. */
    CompletableFuture<Answers> put(LeaderRecord record) {
        return put(record, this::suffices).answered();
    }

    /**
     * The same for one that has ended: every member that can be reached shall know it, so that the next one that asks is not told to wait
     * for it. A member that does not answer for a heartbeat is not waited for.
     */
    CompletableFuture<Answers> putToAll(LeaderRecord record) {
        long untilNanos = host.nanos() + settings.profile().heartbeat().toNanos();
        Round all = put(
                record,
                answered ->
                        suffices(answered) && (answered.members() > connections.size() || host.nanos() >= untilNanos));
        host.wakeAt(untilNanos, all::settle);
        return all.answered();
    }

    private Round put(LeaderRecord record, Predicate<Answers> enough) {
        Round round = begin(id -> new PeerMessage.Put(id, record), enough);
        round.received(me(), new Answer.EraIs(journal.era()));
        return round;
    }

    private void answer(Question question, Consumer<Answer> say) {
        if (question instanceof Question.Look look) {
            Optional.ofNullable(instances.get(look.election())).ifPresent(instance -> show(instance, say));
            say.accept(new Answer.Seen());
        } else if (question instanceof Question.LookAll) {
            instances.values().forEach(instance -> show(instance, say));
            say.accept(new Answer.Seen());
        } else if (question instanceof Question.Era era && era.atLeast() > journal.era()) {
            journal.raiseEra(era.atLeast(), () -> say.accept(new Answer.EraIs(journal.era())));
        } else if (question instanceof Question.Era) {
            say.accept(new Answer.EraIs(journal.era()));
        } else if (question instanceof Question.Deliver deliver) {
            Optional<PeersSession> holder = Optional.ofNullable(
                            instances.get(deliver.request().election()))
                    .flatMap(instance -> instance.grants.holder());
            holder.ifPresent(session -> session.deliver(deliver.request()));
            say.accept(new Answer.Delivered(holder.isPresent()));
        }
    }

    private static void show(ElectionInstance instance, Consumer<Answer> say) {
        instance.record()
                .ifPresent(record -> say.accept(new Answer.Observed(
                        record, instance.alive().filter(record::equals).isPresent())));
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
        connections.put(peer, connection);
        for (ElectionInstance instance : instances.values()) {
            instance.stands(peer, false);
            if (instance.isStanding()) {
                connection.send(new PeerMessage.Stands(instance.election, true));
            }
            instance.alive()
                    .filter(record -> record.member() == me())
                    .ifPresent(record -> connection.send(new PeerMessage.Put(0, record)));
        }
        super.linked(connection, theirBase); // asks what is open, of one that knows all this
    }

    @Override
    public void unlinked(PeerConnection connection) {
        guests.remove(connection);
        super.unlinked(connection);
    }

    @Override
    public void received(PeerConnection connection, PeerMessage message) {
        if (closed) {
            return;
        }
        if (message instanceof PeerMessage.Ask ask) {
            answer(ask.question(), answer -> connection.send(new PeerMessage.AnswerMessage(ask.id(), answer)));
        }
        // A process that only observes can only ask; and what comes late over a replaced connection is ignored.
        connection
                .peer()
                .filter(peer -> connections.get(peer.id()) == connection)
                .ifPresent(peer -> {
                    // Any message is a sign of life: a leader that was suspected before must be missed when it falls
                    // silent.
                    watchPeers(new Event.Received(peer.id(), new Heartbeat()));
                    received(connection, peer.id(), message);
                });
    }

    private void received(PeerConnection connection, int peer, PeerMessage message) {
        if (message instanceof PeerMessage.AlgorithmMessage said) {
            instance(said.election()).ifPresent(instance -> instance.received(peer, said.message()));
        } else if (message instanceof PeerMessage.Stands stands) {
            instance(stands.election()).ifPresent(instance -> instance.stands(peer, stands.yes()));
        } else if (message instanceof PeerMessage.Put put) {
            instance(put.record().election()).ifPresent(instance -> instance.keep(put.record()));
            connection.send(new PeerMessage.AnswerMessage(put.id(), new Answer.EraIs(journal.era())));
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
                instances.values().forEach(instance -> instance.contactFrom(suspect.peer(), false));
            } else if (effect instanceof Effect.Trust trust) {
                suspected.remove(trust.peer());
                instances.values().forEach(instance -> instance.contactFrom(trust.peer(), true));
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
        instances.values().forEach(ElectionInstance::close);
        super.close();
        journal.close();
    }
}
