// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.peers.PeerObserver.Answers;
import dev.tenure.peers.connection.Handshake;
import dev.tenure.peers.connection.PeerConnections;
import dev.tenure.peers.connection.PeerMessage.Answer;
import dev.tenure.peers.connection.PeerMessage.Answer.Observed;
import dev.tenure.peers.connection.PeerMessage.Question;
import dev.tenure.peers.group.PeersSettings;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.FenceRequirement;
import dev.tenure.spi.BackendTraits.TokenSource;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.StoreUrl;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A small group without a store, at the session door: this process as a member or as an observer, and its connections to the others. */
public final class PeersBackend implements Backend {
    private static final Duration OPEN_WITHIN = Duration.ofMillis(1500);

    private final PeersSettings settings;
    private final Host host;
    private final Optional<Member> member;
    private final PeerObserver observer;
    private final PeerConnections connections;
    private final AtomicBoolean closed = new AtomicBoolean();

    private PeersBackend(PeersSettings settings, Host host, Optional<BallotJournal> journal) {
        this.settings = settings;
        this.host = host;
        this.member = journal.map(votes -> new Member(settings, host, votes));
        this.observer = member.<PeerObserver>map(one -> one).orElseGet(() -> new PeerObserver(settings, host));
        long base = journal.map(BallotJournal::base).orElse(0L);
        this.connections = new PeerConnections(settings, new Handshake(settings, host, base), host, observer);
        host.post(observer::start);
        connections.start();
    }

    /** Connects, without waiting for the others. */
    static PeersBackend connect(PeersSettings settings, Host host) {
        Optional<BallotJournal> journal = settings.data()
                .map(directory -> JournalFile.open(
                        directory,
                        "member " + settings.membership().self().name() + " of "
                                + settings.membership().names() + " ("
                                + settings.rules().spelling() + ")",
                        host.wallMillis()))
                .map(file -> BallotJournal.open(file, host));
        try {
            return new PeersBackend(settings, host, journal);
        } catch (RuntimeException refused) {
            journal.ifPresent(BallotJournal::close);
            throw refused;
        }
    }

    Optional<Member> member() {
        return member;
    }

    PeerConnections connections() {
        return connections;
    }

    @Override
    public BackendTraits traits() {
        String algorithm = settings.rules().spelling();
        boolean safe = settings.rules().hasTerms() && !settings.profile().isFast();
        return BackendTraits.of("peers " + settings.membership().names() + " (" + algorithm + ")")
                .grade(safe ? Grade.B : Grade.D, reason())
                .scope(Scope.CLUSTER)
                .ttl(settings.profile().ttl(), settings.profile().ttl())
                .expiry(ExpiryDetection.SERVER_TTL)
                .tokens(TokenSource.REVISION)
                .wakeup(Wakeup.QUEUE)
                .fenceRequirement(settings.profile().isFast() ? FenceRequirement.FENCE : FenceRequirement.BY_GRADE)
                .build();
    }

    private String reason() {
        if (settings.profile().isFast()) {
            return "profile=fast leaves a leader " + settings.profile().ttl().toMillis()
                    + " ms to notice its end and no time to drain; without it in the store URL there is time";
        }
        if (!settings.rules().hasTerms()) {
            return settings.rules().spelling()
                    + " elects a leader on each side of a partition, and takes a slow member for a"
                    + " dead one: for learning, or with a fence";
        }
        return "it rests on each member's own disk: a member that loses its votes begins above them by its clock";
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        return observer.onLoop(() -> {
            if (member.isEmpty()) {
                return CompletableFuture.failedFuture(
                        StoreUrl.refused("only a member can stand: say which one this process"
                                + " is, with me=NAME in the store URL. Without it one can only look"));
            }
            Optional<String> broken = member.get().journal.failure();
            if (broken.isPresent()) {
                return CompletableFuture.failedFuture(StoreUrl.refused(broken.get()));
            }
            CompletableFuture<StoreEra> era = raised(0);
            // Before core gives up by itself, which knows of no reason.
            host.wakeAt(
                    host.nanos() + OPEN_WITHIN.toNanos(),
                    () -> era.completeExceptionally(PeerObserver.noMajority(missing())));
            return era.thenApply(known -> {
                String id = settings.membership().self().name() + "-" + Long.toHexString(host.random());
                return new PeersSession(id, member.get(), events, known);
            });
        });
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return observer.onLoop(() -> ask(new Question.Look(election))
                .thenApply(answers -> Optional.ofNullable(newest(answers).get(election))
                        .map(Observed::observation)
                        .orElse(new Observation(election, Optional.empty(), 0))));
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return observer.onLoop(() -> ask(new Question.LookAll())
                .thenApply(answers -> newest(answers).values().stream()
                        .map(Observed::observation)
                        .toList()));
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        return observer.watchers.add(changed);
    }

    /** It goes to all members, and is done when the one that holds the election has it, or when all say that they do not. */
    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        int all = settings.membership().members().size();
        return observer.onLoop(() -> ask(
                        new Question.Deliver(request),
                        answers ->
                                answers.members() == all || answers.all().anyMatch(new Answer.Delivered(true)::equals),
                        "not all members of the group can be reached: ")
                .thenAccept(answers -> {}));
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return raiseEra(0);
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        if (atLeast < 0 || atLeast > FencingToken.ERA_MAX) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("era " + atLeast + " is outside 0.." + FencingToken.ERA_MAX));
        }
        return observer.onLoop(() -> raised(atLeast));
    }

    /** The highest that a majority knows; told again until a majority has it. A group is another one with another list of members. */
    private CompletableFuture<StoreEra> raised(int atLeast) {
        return ask(new Question.Era(atLeast)).thenCompose(answers -> {
            int highest = answers.highestEra();
            String storeId = "peers-" + Integer.toHexString(settings.agreement().hashCode());
            return answers.all().allMatch(new Answer.EraIs(highest)::equals)
                    ? CompletableFuture.completedFuture(new StoreEra(storeId, highest))
                    : raised(highest);
        });
    }

    private CompletableFuture<Answers> ask(Question question) {
        return ask(question, observer::suffices, "no majority of the group can be reached: ");
    }

    /** That too few have answered helps nobody: who did not, and why, does. */
    private CompletableFuture<Answers> ask(Question question, Predicate<Answers> enough, String lacking) {
        return observer.ask(question, enough).exceptionally(late -> {
            // What was asked may have been done by some.
            throw BackendException.unknown(lacking + missing());
        });
    }

    /** Which members cannot be reached, and why. */
    String missing() {
        String sentences = settings.membership().others().stream()
                .flatMap(peer -> connections.failure(peer).stream().map(why -> peer + ": " + why))
                .collect(Collectors.joining("; "));
        return sentences.isEmpty() ? "the others do not answer" : sentences;
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            connections.close();
            host.post(observer::close);
        }
    }

    /** The newest word about an election counts; its holder leads if anybody who answered hears it. */
    private static Map<ElectionName, Observed> newest(Answers answers) {
        return answers.all()
                .filter(Observed.class::isInstance)
                .map(Observed.class::cast)
                .collect(Collectors.toMap(one -> one.record().election(), one -> one, PeersBackend::newer));
    }

    private static Observed newer(Observed one, Observed other) {
        if (one.record().equals(other.record())) {
            return one.alive() ? one : other;
        }
        return other.record().isNewerThan(one.record()) ? other : one;
    }
}
