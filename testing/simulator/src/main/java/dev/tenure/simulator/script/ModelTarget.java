// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.script;

import dev.tenure.simulator.store.MessageFaults;
import dev.tenure.simulator.store.SimulatedLink;
import dev.tenure.simulator.store.StoreClock;
import dev.tenure.simulator.store.StoreHealth;
import dev.tenure.simulator.store.session.SessionLink;
import dev.tenure.simulator.store.session.SessionServer;
import dev.tenure.simulator.store.session.SessionStoreFaults;
import dev.tenure.simulator.store.session.StoreRules;
import dev.tenure.simulator.trace.FaultCounts;
import dev.tenure.simulator.trace.WorldTrace;
import dev.tenure.spi.Backend;
import dev.tenure.testing.SplitMix64;
import dev.tenure.testing.VirtualTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A model of a store in virtual time, under a clear sky. */
public final class ModelTarget implements ScriptTarget {
    private static final long LATENCY_NANOS = 1_000_000;
    private static final Duration LEADERLESS = Duration.ofMillis(700);

    private final VirtualTime time = new VirtualTime();
    private final WorldTrace trace = WorldTrace.hashing(time);
    private final StoreHealth health = new StoreHealth();
    private final MessageFaults faults;
    private final SessionServer server;
    private final SessionStoreFaults fate;
    private final Map<String, SimulatedLink> links = new HashMap<>();

    public ModelTarget(StoreRules law) {
        SplitMix64 random = new SplitMix64(1);
        MessageFaults.Probabilities clear = new MessageFaults.Probabilities(
                List.of(), List.of(), 0, LATENCY_NANOS, 2 * LATENCY_NANOS, LATENCY_NANOS);
        this.faults = new MessageFaults(clear, random.fork(), new FaultCounts());
        SessionServer.Nature nature = new SessionServer.Nature(law, true, false, List.of(ScriptRunner.ELECTION));
        this.server = new SessionServer(nature, time, new StoreClock(time, 0), new NoHistory(), random.fork());
        this.fate = new SessionStoreFaults(server, new NoHistory(), random.fork());
    }

    @Override
    public Backend connect(String who) {
        SimulatedLink link = new SimulatedLink(links.size(), time, faults, health, trace);
        links.put(who, link);
        return new SessionLink(server, link, new NoHistory());
    }

    @Override
    public <T> CompletableFuture<T> call(String who, Supplier<CompletionStage<T>> call) {
        return call.get().toCompletableFuture();
    }

    @Override
    public long nanos() {
        return time.nanos();
    }

    @Override
    public void pass() {
        time.runUntil(time.nanos() + LATENCY_NANOS);
    }

    @Override
    public void vanish(String who) {
        Objects.requireNonNull(links.get(who), who).die();
    }

    @Override
    public void revoke(String session) {
        fate.revoke(session);
    }

    @Override
    public BooleanSupplier changeLeader() {
        AtomicBoolean elected = new AtomicBoolean();
        fate.loseLeader();
        health.silence();
        time.after(LEADERLESS, () -> {
            health.heal();
            fate.electLeader();
            elected.set(true);
        });
        return elected::get;
    }

    @Override
    public void removeElection() {
        fate.removeEmpty(0);
    }

    @Override
    public void close() {}
}
