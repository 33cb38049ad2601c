// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import dev.tenure.Campaign;
import dev.tenure.ElectionName;
import dev.tenure.LeaderWatch;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.Term;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/** One process of a {@link FakeElections}: a real client with a machine, a clock and a way to the store of its own. */
public final class FakeNode {
    private final String name;
    private final Duration ttl;
    private final Machine machine;
    private final Tenure tenure;
    private final Map<ElectionName, Term> leading = new HashMap<>();
    private boolean cutOff;

    FakeNode(String name, FakeElections world, long seed) {
        this.name = name;
        this.ttl = world.ttl();
        this.machine = new Machine(name, world.time(), seed);
        this.tenure = Tenure.using(new StoreLink(world.store(), this::reachesStore))
                .host(machine)
                .node(name)
                .ttl(ttl)
                .open();
    }

    public String name() {
        return name;
    }

    /** How this node would stand in an election: end with {@code runDuty} or {@code run}, as in production. */
    public Campaign elect(String election) {
        return tenure.elect(election);
    }

    public LeaderWatch observe(String election) {
        return tenure.observe(election);
    }

    public Tenure tenure() {
        return tenure;
    }

    /** The machine it runs on, for tests that bend its clocks or suspend it. */
    public VirtualHost host() {
        return machine;
    }

    void note(TenureEvent event) {
        if (event instanceof TenureEvent.Elected elected) {
            leading.put(elected.term().election(), elected.term());
        } else if (event instanceof TenureEvent.DrainBegan ending) {
            leading.remove(ending.term().election(), ending.term());
        } else if (event instanceof TenureEvent.Lost lost) {
            leading.remove(lost.term().election(), lost.term());
        }
    }

    /** The term that it believes to lead, unless it is dead or was paused for so long that this cannot be. */
    Optional<Term> leads(ElectionName election) {
        return machine.isCrashed() || wasPausedForTtl() ? Optional.empty() : Optional.ofNullable(leading.get(election));
    }

    void resume() {
        if (wasPausedForTtl()) {
            leading.clear();
        }
        machine.resume();
    }

    void cutOff(boolean cut) {
        cutOff = cut;
    }

    boolean isRunning() {
        return !machine.isPaused() && !machine.isCrashed();
    }

    private boolean wasPausedForTtl() {
        return machine.pausedFor().compareTo(ttl) >= 0;
    }

    private boolean reachesStore() {
        return !cutOff && !machine.isCrashed();
    }

    /** Here users' callbacks may wait too, so each runs on a thread of its own. */
    private static final class Machine extends VirtualHost {
        Machine(String name, VirtualTime time, long seed) {
            super(name, time, seed);
        }

        @Override
        public void runCallback(Runnable callback) {
            runDuty("call", callback);
        }

        @Override
        public Executor io() {
            return task -> runDuty("io", task);
        }
    }
}
