package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.detector.Heartbeat;
import dev.tenure.algorithms.detector.HeartbeatDetector;
import dev.tenure.peers.Item.Answer;
import dev.tenure.peers.Item.Question;
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
    private final Set<Line> guests = new HashSet<>();
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
        CompletableFuture<Map<Integer, List<Answer>>> round = rounds.ask(id -> new Item.Ask(id, question), enough);
        long id = rounds.lastId();
        int me = settings.membership().self().id();
        answers.to(question, answer -> rounds.told(me, new Item.Told(id, answer)));
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
        CompletableFuture<Map<Integer, List<Answer>>> round = rounds.ask(id -> new Item.Put(id, holding), enough);
        rounds.told(settings.membership().self().id(), new Item.Told(rounds.lastId(), new Answer.EraIs(journal.era())));
        return round;
    }

    // --- lines

    @Override
    public void linked(Line line, long theirBase) {
        if (line.peer().isEmpty()) {
            guests.add(line);
            return;
        }
        int peer = line.peer().get().id();
        base = Math.max(base, theirBase);
        outbox.linked(peer, line);
        LOG.log(Level.DEBUG, "a line to member {0}", line.peer().get());
        contests.values().forEach(contest -> contest.stands(peer, false));
        contests.values().stream()
                .filter(Contest::isStanding)
                .forEach(contest -> outbox.send(peer, new Item.Stands(contest.election(), true)));
        contests.values().stream()
                .flatMap(contest -> contest.alive().stream())
                .filter(holding -> settings.membership().isMe(holding.member()))
                .forEach(holding -> outbox.send(peer, new Item.Put(0, holding)));
        rounds.linked(peer);
    }

    @Override
    public void unlinked(Line line) {
        guests.remove(line);
        line.peer().ifPresent(peer -> {
            if (outbox.unlinked(peer.id(), line)) {
                LOG.log(Level.DEBUG, "no line to member {0} any more", peer);
            }
        });
    }

    @Override
    public void received(Line line, List<Item> items) {
        if (closed) {
            return;
        }
        boolean stale =
                line.peer().isPresent() && !outbox.isUsed(line.peer().get().id(), line);
        if (!stale) {
            // Whatever is heard is a sign of life: a leader that was suspected before it was heard must be missed when
            // it falls silent.
            line.peer().ifPresent(peer -> watchPeers(new Event.Received(peer.id(), new Heartbeat())));
            items.forEach(item -> received(line, item));
        }
    }

    private void received(Line line, Item item) {
        if (item instanceof Item.Ask ask) {
            answers.to(ask.question(), answer -> outbox.send(line, new Item.Told(ask.id(), answer)));
            return;
        }
        if (line.peer().isEmpty()) {
            return; // who only looks can only ask
        }
        int peer = line.peer().get().id();
        if (item instanceof Item.Said said) {
            contest(said.election()).ifPresent(contest -> contest.received(peer, said.message()));
        } else if (item instanceof Item.Stands stands) {
            contest(stands.election()).ifPresent(contest -> contest.stands(peer, stands.yes()));
        } else if (item instanceof Item.YourTurn turn) {
            contest(turn.election()).ifPresent(contest -> contest.takeTurn(peer, turn.term()));
        } else if (item instanceof Item.Put put) {
            contest(put.holding().election()).ifPresent(contest -> contest.keep(put.holding()));
            outbox.send(line, new Item.Told(put.id(), new Answer.EraIs(journal.era())));
        } else if (item instanceof Item.Told told) {
            rounds.told(peer, told);
        }
    }

    /** Runs the failure detector, whose heartbeats also keep the lines alive. */
    private void watchPeers(Event event) {
        for (Effect effect : detector.on(event, host.nanos())) {
            if (effect instanceof Effect.Send send) {
                outbox.send(send.to(), new Item.Beat());
            } else if (effect instanceof Effect.SetTimer) {
                guests.forEach(guest -> outbox.send(guest, new Item.Beat()));
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
        guests.forEach(guest -> outbox.send(guest, new Item.Changed(election)));
    }

    @Override
    public void close() {
        closed = true;
        contests.values().forEach(Contest::close);
        rounds.close();
        journal.close();
    }
}
