// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import dev.tenure.internal.engine.ElectionRules;
import dev.tenure.internal.engine.Timing;
import dev.tenure.internal.lease.LeaseBackend;
import dev.tenure.internal.runtime.CandidacyHandle;
import dev.tenure.internal.runtime.Engine;
import dev.tenure.internal.runtime.ExclusiveRuns;
import dev.tenure.internal.runtime.Observers;
import dev.tenure.internal.runtime.StoreRequirement;
import dev.tenure.internal.runtime.events.Uninterrupted;
import dev.tenure.internal.runtime.term.CandidacySpec;
import dev.tenure.internal.runtime.term.CandidacySpec.CandidacyOptions;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.FenceRequirement;
import dev.tenure.spi.BackendTraits.TokenSource;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.Redactor;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.StoreBinding;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.Stages;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The client: one store, one session, one loop. It opens campaigns and watches, and closing it drains all of them and then
 * leaves. Safe for any thread.
 *
 * <pre>{@code
 * try (Tenure tenure = Tenure.connect("local:").open()) {
 *     tenure.elect("billing/sweeper").perform(leadership -> {
 *         while (leadership.isActive()) {
 *             sweepOnce(leadership.token());
 *             leadership.rest(Duration.ofSeconds(10));
 *         }
 *     }).retired().toCompletableFuture().join();
 * }
 * }</pre>
 */
public final class Tenure implements AutoCloseable {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);
    /** More than a release takes where many travel together, so that closing thousands is not cut short. */
    private static final Duration RELEASE_EACH = Duration.ofMillis(1);

    /** How long closing waits for listeners that still deal with earlier events. */
    private static final Duration EVENTS_WITHIN = Duration.ofSeconds(1);

    private static final Duration PRUNED_AGE_MIN = Duration.ofDays(1);
    private static final Duration PRUNED_WITHIN = Duration.ofHours(1);
    private static final int NAMES_MAX = 5;

    private final Backend backend;
    private final Host host;
    private final Settings settings;
    private final Timing timing;
    private final Engine engine;
    private final Observers observers;
    private final CandidacyOptions usual;
    private final ExclusiveRuns exclusiveRuns;
    private final Host.Signal left;
    /** Added to under the engine's monitor, and not any more once it is closed. */
    private final Map<Object, CompletableFuture<?>> questions = new ConcurrentHashMap<>();

    private volatile boolean closed;
    private volatile long closedByNanos;

    record Settings(
            String node,
            Duration ttl,
            boolean standoff,
            boolean bestEffort,
            StoreRequirement requirement,
            Redactor redactor) {}

    Tenure(Backend backend, Host host, Settings settings) {
        this.backend = backend;
        this.host = host;
        this.left = host.signal();
        this.settings = settings;
        this.timing = Timing.of(settings.ttl);
        SessionRequest session = new SessionRequest(settings.node, settings.ttl);
        this.engine = new Engine(backend, host, session, settings.requirement, settings.redactor);
        this.observers = new Observers(engine, settings.ttl);
        this.usual = new CandidacyOptions(settings.node, usualRules(), LeaderMetadata.EMPTY, List.of());
        this.exclusiveRuns = new ExclusiveRuns(engine, usual, settings.ttl, this::stand);
    }

    private ElectionRules usualRules() {
        return new ElectionRules(
                traits().fenceRequirement() == FenceRequirement.FENCE
                        ? 0
                        : settings.ttl.dividedBy(5).toNanos(),
                settings.ttl.dividedBy(2).toNanos(),
                false,
                false,
                settings.standoff,
                OverduePolicy.KEEP_CLAIM);
    }

    /** A store by its URL, such as {@code local:} or {@code etcd://host:2379}; its backend must be on the class path. */
    public static TenureBuilder connect(String url) {
        return TenureBuilder.connect(
                Objects.requireNonNull(url, "url is null: name a store, such as local: or etcd://host:2379"));
    }

    /** A store that was opened already. */
    public static TenureBuilder using(StoreBinding store) {
        Objects.requireNonNull(store, "store is null: pass a store that was opened");
        return TenureBuilder.using(host -> store);
    }

    /** A store that is opened with the time and the threads of this client, and closed with it. */
    public static TenureBuilder using(Function<Host, ? extends StoreBinding> store) {
        return TenureBuilder.using(Objects.requireNonNull(store, "store is null: pass a function that opens a store"));
    }

    /** The name of this process as operators and watchers see it. */
    public String node() {
        return settings.node;
    }

    /** What the store promises. */
    public BackendTraits traits() {
        return backend.traits();
    }

    /**
     * The time and the threads of this client, which {@link #using(Function)} shows to a store, too. For code that waits, or starts
     * threads, around elections, and is to be tested in virtual time with them: {@code tenure-patterns} uses nothing else of the SPI.
     * {@link Leadership#rest} is enough for a duty that only waits for time. It ends with {@link #close()}, and nobody else shuts it down.
     */
    public Host host() {
        return host;
    }

    /** Describes how this process stands in an election. */
    public Campaign elect(String election) {
        return new Campaign(this, ElectionName.of(election), usual);
    }

    /** Watches an election without standing in it. */
    public LeaderWatch observe(String election) {
        return observers.observe(ElectionName.of(election));
    }

    /**
     * Runs the body once while leading, as a lock would: a short term. The body runs on the thread of the caller.
     *
     * <p>Callers of this client wait in one queue per election, first come, first served. Each of them gets a term and a token
     * of its own, and other processes get their chance in between. The time limit covers the local queue as well.
     *
     * <p>When the term is lost, the thread is interrupted as that of a duty would be, and only while the body runs. That
     * interrupt flag is cleared when the body returns. A flag that somebody else had set before stays; one that somebody
     * sets after it cannot be told from it. The claim is released after the body has returned, also with an exception.
     *
     * @throws TimeoutException if this process was not elected within this time; the body did not run
     * @throws InterruptedException if the thread was interrupted while it waited; the body did not run
     * @throws NotLeadingException if leadership was lost while the body ran
     * @throws IllegalStateException if this client is closed, also while the call waits; if this client stands in the election
     *     with a duty or a service; or if this thread runs exclusively in the election already
     * @throws Exception whatever the body throws, unchanged
     */
    public void exclusively(String election, Duration waitAtMost, Duty body) throws Exception {
        ElectionName name = ElectionName.of(election);
        Objects.requireNonNull(waitAtMost, "waitAtMost is null: say how long the call may wait to be elected");
        Objects.requireNonNull(body, "body is null: pass what is to run while leading");
        exclusiveRuns.run(name, waitAtMost, body);
    }

    /** Events in order, off the engine's thread; without {@linkplain TenureEvent.Detail details}. */
    public void onEvent(TenureListener listener) {
        engine.events.listen(
                Objects.requireNonNull(listener, "listener is null: pass what is to be told of events"), false);
    }

    /** Events and {@linkplain TenureEvent.Detail details} in order, off the engine's thread: for meters. */
    public void onEveryEvent(TenureListener listener) {
        engine.events.listen(
                Objects.requireNonNull(listener, "listener is null: pass what is to be told of events"), true);
    }

    /** Counters since the client was opened; empty once it is closed. */
    public Stats stats() {
        if (closed) {
            return Stats.NONE;
        }
        AtomicReference<Stats> counted = new AtomicReference<>(Stats.NONE);
        Host.Signal done = host.signal();
        engine.post(() -> {
            counted.set(engine.stats());
            done.set();
        });
        try {
            done.await(ANSWER_WITHIN.toNanos());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return counted.get();
    }

    /** Every election that the store knows, with its leader if it has one. */
    public CompletionStage<Map<ElectionName, Optional<Leader>>> elections() {
        return ask(this::listAndNote).thenApply(all -> {
            Map<ElectionName, Optional<Leader>> leaders = new TreeMap<>();
            all.forEach(seen -> leaders.put(seen.election(), seen.leader()));
            return leaders;
        });
    }

    private CompletionStage<List<Observation>> listAndNote() {
        return backend.list().thenApply(all -> {
            engine.post(() -> all.forEach(engine::noteFloor));
            return all;
        });
    }

    /** Reads who leads an election now, by one request; {@link #observe} follows it. The stage fails if the store does not answer. */
    public CompletionStage<Optional<Leader>> leaderOf(String election) {
        ElectionName name = ElectionName.of(election);
        return ask(() -> backend.read(name).thenApply(seen -> {
                    engine.post(() -> engine.noteFloor(seen));
                    return seen;
                }))
                .thenApply(Observation::leader);
    }

    /**
     * Leaves a request to step down for the present leader, and returns that leader. A {@linkplain Leader#foreign() foreign}
     * leader does not know such requests, so none is left for it.
     */
    public CompletionStage<Optional<Leader>> askToResign(String election) {
        return leaderOf(election).thenCompose(leader -> {
            if (leader.isEmpty() || leader.get().foreign().isPresent()) {
                return CompletableFuture.completedFuture(leader);
            }
            OperatorRequest request = new OperatorRequest(
                    leader.get().election(),
                    OperatorRequest.Verb.RESIGN,
                    leader.get().token(),
                    settings.node);
            return ask(() -> backend.request(request)).thenApply(done -> leader);
        });
    }

    /** Reads the era of the store. The stage fails with a {@link dev.tenure.spi.BackendException} if the store does not answer. */
    public CompletionStage<StoreEra> era() {
        return ask(backend::era);
    }

    /** Lifts every future token above all that were issued before: for operators, after a restore. */
    public CompletionStage<StoreEra> raiseEra() {
        return era().thenCompose(now -> ask(() -> backend.raiseEra(now.era() + 1)));
    }

    /** Counts what {@link #prune} would remove, and removes nothing. */
    public CompletionStage<Pruned> prunable(Duration olderThan) {
        return prune(olderThan, Optional.empty());
    }

    /**
     * Removes the records of elections that nobody holds, if their last token is older than this: for operators of stores with
     * an election for each of many things that come and go. Tokens go on growing, since they follow the store's clock; a record
     * whose token that clock has not reached yet stays.
     *
     * @param olderThan a day or more, by the store's clock
     * @param progress notified before each batch how far it has come, off the engine's thread
     * @throws IllegalArgumentException if the age is too low, or the store has no such records: it issues its tokens itself, or has
     *     sessions of its own
     */
    public CompletionStage<Pruned> prune(Duration olderThan, Consumer<Pruned> progress) {
        Objects.requireNonNull(progress, "progress is null: pass what is to be told how far it has come");
        return prune(olderThan, Optional.of(pruned -> host.runCallback(() -> progress.accept(pruned))));
    }

    private CompletionStage<Pruned> prune(Duration olderThan, Optional<Consumer<Pruned>> progress) {
        Objects.requireNonNull(olderThan, "olderThan is null: say how old a record must be, such as a week");
        if (olderThan.compareTo(PRUNED_AGE_MIN) < 0) {
            throw new IllegalArgumentException("records younger than " + DurationText.format(PRUNED_AGE_MIN)
                    + " are not pruned: a claim may still be under way; got " + DurationText.format(olderThan));
        }
        if (!(backend instanceof LeaseBackend records) || traits().tokens() != TokenSource.COUNTER) {
            throw new IllegalArgumentException(
                    traits().store() + " is not pruned: only stores that keep a record per election"
                            + " and count their tokens by a clock can issue higher tokens without it");
        }
        return ask(() -> records.prune(olderThan, progress), PRUNED_WITHIN);
    }

    /**
     * Drains and retires every candidacy, then leaves the store. Bounded; says which duties still run. No event arrives after it
     * has returned. A second call waits for the first. An interrupt of the calling thread changes nothing and is kept.
     */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        List<CandidacyHandle> all = List.of();
        boolean first;
        synchronized (engine) { // a candidacy stands before, and is closed here, or it is refused
            first = !closed;
            if (first) {
                closed = true;
                all = List.copyOf(engine.candidacies.values());
                closedByNanos = host.nanos() + closeWithin(all) + 2 * timing.timeoutNanos() + EVENTS_WITHIN.toNanos();
            }
        }
        if (first) {
            leave(all);
            left.set();
        } else {
            await(left, closedByNanos - host.nanos());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static long closeWithin(List<CandidacyHandle> all) {
        Duration longest = all.stream()
                .map(CandidacyHandle::closeWithin)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        return longest.toNanos() + RELEASE_EACH.toNanos() * Math.max(0, all.size() - 1);
    }

    private void leave(List<CandidacyHandle> all) {
        exclusiveRuns.close();
        all.forEach(CandidacyHandle::beginClose);
        long byNanos = host.nanos() + closeWithin(all);
        List<CandidacyHandle> late = all.stream()
                .filter(candidacy -> !await(candidacy.over(), byNanos - host.nanos()))
                .toList();
        warn(
                "closing, although duties still run: ",
                late.stream().filter(CandidacyHandle::isRunning).toList());
        warn(
                "closing before the store has confirmed the release; its claims end with the session: ",
                late.stream().filter(candidacy -> !candidacy.isRunning()).toList());
        Host.Signal sessionClosed = host.signal();
        Host.Signal withdrawn = host.signal();
        engine.post(() -> {
            observers.close();
            engine.close(sessionClosed::set);
            // What waits for the end of a candidacy must not wait for ever, also if its duty never ends.
            late.forEach(CandidacyHandle::giveUp);
            questions.forEach((key, answer) ->
                    host.runDuty("tenure-closed", () -> answer.completeExceptionally(closedException())));
            withdrawn.set();
        });
        await(sessionClosed, timing.timeoutNanos());
        // Once more: a process that was stopped meanwhile finds its time over, and authority not yet withdrawn.
        await(withdrawn, timing.timeoutNanos());
        engine.events.close(host.nanos() + EVENTS_WITHIN.toNanos());
        backend.close();
        host.shutdown();
    }

    /**
     * Not cut short by an interrupt, which a duty that closes its client gets from its own drain: authority would outlive {@link
     * #close()}. Returns whether the signal was set.
     */
    private boolean await(Host.Signal signal, long nanos) {
        return Uninterrupted.await(signal, host, host.nanos() + nanos);
    }

    /** One line, however many they are. */
    private static void warn(String what, List<CandidacyHandle> late) {
        if (!late.isEmpty()) {
            String names = late.stream()
                    .limit(NAMES_MAX)
                    .map(candidacy -> candidacy.election().toString())
                    .collect(Collectors.joining(", "));
            int others = late.size() - NAMES_MAX;
            LOG.log(Level.WARNING, what + names + (others > 0 ? " and " + others + " others" : ""));
        }
    }

    Candidacy stand(CandidacySpec spec) {
        CandidacyOptions options = spec.options();
        requireRoomToDrain(Duration.ofNanos(options.rules().drainNanos()));
        requireGuard(options);
        CandidacyHandle candidacy = new CandidacyHandle(engine, spec);
        synchronized (engine) {
            if (closed) {
                throw closedException();
            }
            if (engine.candidacies.putIfAbsent(spec.election(), candidacy) != null) {
                throw new IllegalStateException("this client already stands in election " + spec.election());
            }
        }
        candidacy.stand();
        return candidacy;
    }

    private static IllegalStateException closedException() {
        return new IllegalStateException("this client is closed");
    }

    private void requireRoomToDrain(Duration budget) {
        if (traits().fenceRequirement() == FenceRequirement.FENCE && !budget.isZero()) {
            throw new IllegalArgumentException("a drain of " + DurationText.format(budget) + " cannot be had on "
                    + traits().store() + " (" + traits().gradeReason() + "): leave drainWithin(…) out");
        }
        timing.requireRoomFor(budget);
    }

    private void requireGuard(CandidacyOptions options) {
        if (!options.fences().isEmpty()) {
            return;
        }
        BackendTraits store = traits();
        if (store.fenceRequirement() == FenceRequirement.FENCE) {
            throw new IllegalStateException(store.store() + " starts only with a fence (" + store.gradeReason()
                    + "): name one with fencedBy(…); acknowledgeBestEffort() does not replace it");
        }
        if (store.grade() == Grade.D && !settings.bestEffort) {
            throw new IllegalStateException(store.store() + " is grade D (" + store.gradeReason()
                    + "): name a fence with fencedBy(…), or call acknowledgeBestEffort()");
        }
    }

    /** A question to the store that is answered, one way or the other, within a bounded time. */
    private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> question) {
        return ask(question, ANSWER_WITHIN);
    }

    private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> question, Duration within) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Object key = new Object();
        synchronized (engine) { // it is asked before, and answered by closing at the latest, or it is refused
            if (closed) {
                return CompletableFuture.failedFuture(closedException());
            }
            questions.put(key, answer);
        }
        var unused = answer.whenComplete((reply, failure) -> questions.remove(key));
        engine.post(() -> {
            host.wakeAt(
                    host.nanos() + within.toNanos(),
                    () -> host.runCallback(() -> answer.completeExceptionally(BackendException.unknown(
                            traits().store() + " did not answer within " + within.toSeconds() + " s"))));
            // What is chained to the answer is user code, so neither the loop nor a thread of the store runs it.
            Stages.call(question)
                    .whenComplete((reply, failure) -> host.runCallback(() -> {
                        if (failure == null) {
                            answer.complete(reply);
                        } else {
                            answer.completeExceptionally(settings.redactor.failure(failure));
                        }
                    }));
        });
        return answer;
    }
}
