// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.peers.connection.PeerConnection;
import dev.tenure.peers.connection.PeerMessage;
import dev.tenure.peers.connection.PeerMessage.Answer;
import dev.tenure.peers.connection.PeerMessage.Question;
import dev.tenure.peers.group.PeersSettings;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.WatchRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A process that asks the members of a group: who leads, step down. A {@link Member} also votes and stands. All but {@code onLoop} and
 * {@code watchers} is used on the loop.
 *
 * <p>A question goes to the whole group, and is answered when enough members have. Two majorities share a member: what one has confirmed,
 * the next one knows. A question is asked again over every new connection, so that one that breaks costs nothing but time.
 */
class PeerObserver implements PeerConnection.Listener {
    final PeersSettings settings;
    final Host host;
    /** To the members that can be reached. */
    final Map<Integer, PeerConnection> connections = new HashMap<>();

    final WatchRegistry<Consumer<ElectionName>> watchers = new WatchRegistry<>();
    boolean closed;
    private final Map<Long, Round> rounds = new HashMap<>();
    private long lastRound;

    PeerObserver(PeersSettings settings, Host host) {
        this.settings = settings;
        this.host = host;
    }

    /** By member, of those who have said everything. */
    record Answers(Map<Integer, List<Answer>> byMember) {
        int members() {
            return byMember.size();
        }

        Stream<Answer> all() {
            return byMember.values().stream().flatMap(List::stream);
        }

        int highestEra() {
            return all().mapToInt(answer -> answer instanceof Answer.EraIs known ? known.era() : 0)
                    .max()
                    .orElse(0);
        }
    }

    /** One question to the group. */
    record Round(
            PeerMessage message,
            Predicate<Answers> enough,
            Map<Integer, List<Answer>> partial,
            Map<Integer, List<Answer>> complete,
            CompletableFuture<Answers> answered) {
        void received(int member, Answer answer) {
            if (complete.containsKey(member)) {
                return;
            }
            List<Answer> answers = partial.computeIfAbsent(member, none -> new ArrayList<>());
            answers.add(answer);
            if (!(answer instanceof Answer.Observed)) {
                complete.put(member, answers);
                settle();
            }
        }

        void settle() {
            if (enough.test(new Answers(complete))) {
                answered.complete(new Answers(Map.copyOf(complete)));
            }
        }
    }

    /** @param why who cannot be reached, and why */
    static BackendException noMajority(String why) {
        return BackendException.unreachable("no majority of the group can be reached: " + why);
    }

    /** What is said to somebody without a connection is not said: every message can be lost. */
    final void send(int member, PeerMessage message) {
        Optional.ofNullable(connections.get(member)).ifPresent(connection -> connection.send(message));
    }

    final void sendAll(PeerMessage message) {
        connections.values().forEach(connection -> connection.send(message));
    }

    final <T> CompletableFuture<T> onLoop(Supplier<CompletableFuture<T>> call) {
        return CompletableFuture.completedFuture(call).thenComposeAsync(Supplier::get, host::post);
    }

    /** Members close a connection that is silent. */
    void start() {
        sendAll(new PeerMessage.Beat());
        host.wakeAt(host.nanos() + settings.profile().heartbeat().toNanos(), () -> {
            if (!closed) {
                start();
            }
        });
    }

    /** @param enough looks at the answers of those who have said everything */
    final CompletableFuture<Answers> ask(Question question, Predicate<Answers> enough) {
        Round round = begin(id -> new PeerMessage.Ask(id, question), enough);
        answerSelf(question, round);
        return round.answered();
    }

    /** A member is one of those who are asked. */
    void answerSelf(Question question, Round round) {}

    final Round begin(LongFunction<PeerMessage> message, Predicate<Answers> enough) {
        long id = ++lastRound;
        Round round = new Round(message.apply(id), enough, new HashMap<>(), new HashMap<>(), new CompletableFuture<>());
        rounds.put(id, round);
        sendAll(round.message());
        long patienceNanos = closed ? 0 : 2 * settings.profile().electionMin().toNanos();
        Host.Timer timeout =
                host.wakeAt(host.nanos() + patienceNanos, () -> round.answered().cancel(false));
        var unused = round.answered().whenComplete((answers, failure) -> {
            rounds.remove(id);
            timeout.cancel();
        });
        return round;
    }

    /** Have those answered without whom no answer is worth anything? A member answers itself too. */
    final boolean suffices(Answers answered) {
        int self = settings.membership().me().isPresent() ? 1 : 0;
        int needed = settings.rules().hasTerms() ? settings.membership().majority() : connections.size() + self;
        return answered.members() >= Math.max(1, needed);
    }

    @Override
    public void linked(PeerConnection connection, long theirBase) {
        connection.peer().ifPresent(peer -> {
            connections.put(peer.id(), connection);
            rounds.values().forEach(round -> {
                round.partial().remove(peer.id());
                connection.send(round.message());
            });
        });
    }

    @Override
    public void unlinked(PeerConnection connection) {
        connection.peer().ifPresent(peer -> connections.remove(peer.id(), connection));
        List.copyOf(rounds.values()).forEach(Round::settle); // without terms, those that are connected suffice
    }

    @Override
    public void received(PeerConnection connection, PeerMessage message) {
        connection.peer().ifPresent(peer -> {
            if (message instanceof PeerMessage.AnswerMessage told) {
                Optional.ofNullable(rounds.get(told.id())).ifPresent(round -> round.received(peer.id(), told.answer()));
            } else if (message instanceof PeerMessage.Changed changed) {
                changed(changed.election());
            }
        });
    }

    void changed(ElectionName election) {
        watchers.publish(watcher -> watcher.accept(election));
    }

    void close() {
        closed = true;
        List.copyOf(rounds.values()).forEach(round -> round.answered().cancel(false));
    }
}
