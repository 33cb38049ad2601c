package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.peers.PeerMessage.Answer;
import dev.tenure.peers.PeerMessage.Question;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.BackendTraits.Guard;
import dev.tenure.spi.BackendTraits.TokenSource;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A small group without a store, at the session door. */
public final class PeersBackend implements Backend {
    private final PeersSettings settings;
    private final Group group;

    PeersBackend(PeersSettings settings, Group group) {
        this.settings = settings;
        this.group = group;
    }

    /** Connects, without waiting for the others. */
    public static PeersBackend connect(BackendUrl url, Host host) {
        PeersSettings settings = PeersSettings.of(url, System.getenv());
        return new PeersBackend(settings, Group.join(settings, host));
    }

    @Override
    public BackendTraits traits() {
        String algorithm = settings.rules().spelling();
        Grade grade = settings.profile().isFast() ? Grade.D : settings.rules().grade();
        return BackendTraits.of("peers " + settings.membership().names() + " (" + algorithm + ")")
                .grade(grade, reason())
                .scope(Scope.CLUSTER)
                .ttl(settings.profile().ttl(), settings.profile().ttl())
                .expiry(ExpiryJudge.SERVER_TTL)
                .tokens(TokenSource.REVISION)
                .wakeup(Wakeup.QUEUE)
                .guard(settings.profile().isFast() ? Guard.FENCE : Guard.BY_GRADE)
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
        return group.turn(() -> {
            if (group.member().isEmpty()) {
                return CompletableFuture.failedFuture(
                        Trouble.refused("only a member can stand: say which one this process"
                                + " is, with me=NAME in the store URL. Without it one can only look"));
            }
            Member member = group.member().get();
            Optional<String> broken = member.journal().failure();
            if (broken.isPresent()) {
                return CompletableFuture.failedFuture(Trouble.refused(broken.get()));
            }
            return group.soon(raised(0))
                    .thenApply(era -> group.open(events, era))
                    .handle((session, failure) -> {
                        if (failure != null) {
                            throw Trouble.noMajority(group.missing());
                        }
                        return session;
                    });
        });
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return group.turn(() -> ask(new Question.Look(election), group.circle()::suffices)
                .thenApply(answers ->
                        Sightings.of(answers).getOrDefault(election, new Observation(election, Optional.empty(), 0))));
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return group.turn(() -> ask(new Question.LookAll(), group.circle()::suffices)
                .thenApply(answers -> List.copyOf(Sightings.of(answers).values())));
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        AtomicBoolean open = new AtomicBoolean(true);
        Consumer<ElectionName> watcher = election -> {
            if (open.get()) {
                changed.accept(election);
            }
        };
        var watching = group.turn(() -> {
            group.circle().watch(watcher);
            return CompletableFuture.completedFuture(true);
        });
        return () -> {
            if (open.getAndSet(false)) {
                var unused = watching.thenCompose(begun -> group.turn(() -> {
                    group.circle().unwatch(watcher);
                    return CompletableFuture.completedFuture(true);
                }));
            }
        };
    }

    /** It goes to all members, and is done when the one that holds the election has it, or when all say that they do not. */
    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        return group.turn(() -> ask(
                        new Question.Deliver(request),
                        answers -> answers.size()
                                        == settings.membership().members().size()
                                || answers.values().stream()
                                        .anyMatch(said -> said.contains(new Answer.Delivered(true))))
                .thenAccept(answers -> {}));
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return group.turn(() -> raised(0));
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return group.turn(() -> raised(atLeast));
    }

    /** The highest that a majority knows; told again until a majority has it. */
    private CompletableFuture<StoreEra> raised(int atLeast) {
        return ask(new Question.Era(atLeast), group.circle()::suffices).thenCompose(answers -> {
            List<Integer> eras = new ArrayList<>();
            answers.values()
                    .forEach(said -> said.forEach(answer -> {
                        if (answer instanceof Answer.EraIs known) {
                            eras.add(known.era());
                        }
                    }));
            int highest = eras.stream().mapToInt(Integer::intValue).max().orElse(0);
            boolean agreed = eras.stream().allMatch(era -> era == highest);
            return agreed ? CompletableFuture.completedFuture(new StoreEra(group.storeId(), highest)) : raised(highest);
        });
    }

    /** That too few have answered helps nobody: who did not, and why, does. */
    private CompletableFuture<Map<Integer, List<Answer>>> ask(
            Question question, Predicate<Map<Integer, List<Answer>>> enough) {
        return group.circle().ask(question, enough).handle((answers, failure) -> {
            if (failure != null) {
                throw Trouble.explained(failure, settings.membership().majority(), group.missing());
            }
            return answers;
        });
    }

    @Override
    public void close() {
        group.close();
    }

    /** What several members have seen, put together. */
    static final class Sightings {
        private Sightings() {}

        /** The newest word about an election counts; its holder leads if anybody who answered hears it. */
        static Map<ElectionName, Observation> of(Map<Integer, List<Answer>> answers) {
            Map<ElectionName, Holding> newest = new HashMap<>();
            Map<ElectionName, Boolean> alive = new HashMap<>();
            answers.values()
                    .forEach(said -> said.forEach(answer -> {
                        if (answer instanceof Answer.Sight sight) {
                            ElectionName election = sight.holding().election();
                            Optional<Holding> before = Optional.ofNullable(newest.get(election));
                            if (before.isEmpty() || sight.holding().isNewerThan(before.get())) {
                                newest.put(election, sight.holding());
                                alive.put(election, sight.alive());
                            } else if (sight.holding().equals(before.get())) {
                                alive.merge(election, sight.alive(), Boolean::logicalOr);
                            }
                        }
                    }));
            Map<ElectionName, Observation> seen = new HashMap<>();
            newest.forEach((election, holding) -> seen.put(
                    election,
                    new Observation(
                            election,
                            Boolean.TRUE.equals(alive.get(election)) ? Optional.of(holding.leader()) : Optional.empty(),
                            holding.token().value())));
            return seen;
        }
    }
}
