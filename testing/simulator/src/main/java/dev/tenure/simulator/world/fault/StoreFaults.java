// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world.fault;

import dev.tenure.simulator.plan.StoreKind;
import dev.tenure.simulator.store.StoreServer;
import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.simulator.world.SimulatedProcess;
import dev.tenure.simulator.world.SimulatedWorld;
import dev.tenure.testing.SplitMix64;
import java.time.Duration;
import java.util.List;

/** What befalls the store, by itself or by the hand of an operator. */
final class StoreFaults {
    private static final long CLOCK_STEP_NANOS_MAX = Duration.ofHours(6).toNanos();
    private static final int WRITES_LOST_MAX = 6;

    private final SimulatedWorld world;
    private final StoreServer server;
    private final SplitMix64 random;

    StoreFaults(SimulatedWorld world, SplitMix64 random) {
        this.world = world;
        this.server = world.server();
        this.random = random;
        if (world.plan().has(FaultKind.STORE_RESTORED)) {
            snapshotLater();
        }
    }

    private void snapshotLater() {
        world.afterwards(random.below(Duration.ofSeconds(60).toNanos()), () -> {
            server.takeSnapshot();
            snapshotLater();
        });
    }

    boolean inject(FaultKind fault) {
        int election = (int) random.below(world.plan().elections);
        switch (fault) {
            case SESSION_REVOKED_EARLY, SESSION_DELETED -> {
                return server.revokeSession(random.next());
            }
            case SESSION_SWAPPED -> server.forgetSessions();
            case EXPIRY_LATE -> {
                server.expireLate(world.lastingNanos(2));
                world.afterwards(world.lastingNanos(4), () -> server.expireLate(0));
            }
            case CLAIM_DELETED -> {
                return server.deleteClaim(election);
            }
            case CLAIM_EDITED -> {
                return server.editClaim(election);
            }
            case CLAIM_GARBLED -> {
                world.afterwards(world.lastingNanos(3), () -> server.repairClaim(election));
                return server.garbleClaim(election);
            }
            case STORE_WIPED -> server.wipe();
            case STORE_RESTORED -> server.restoreSnapshot();
            case STORE_FAILOVER -> server.loseLast(1 + (int) random.below(WRITES_LOST_MAX));
            case STORE_CLOCK_FORWARD -> {
                return server.stepClock(clockStepNanos());
            }
            case STORE_CLOCK_BACK -> {
                return server.stepClock(-clockStepNanos());
            }
            case TTL_SHORTENED -> {
                return server.grantShorter(50 + (int) random.below(50));
            }
            case STORE_LEADER_CHANGED -> {
                return changeLeader();
            }
            case STALLED_LEADER_REVOKES -> {
                return stallLeader();
            }
            case TOUCH_LOST -> {
                return loseTouch();
            }
            case EMPTY_ELECTION_REMOVED -> {
                return server.removeEmpty(election);
            }
            case WATCH_DIED -> {
                return server.killWatch(random.next());
            }
            case NOTICE_SPURIOUS -> server.spuriousNotice(election);
            default -> {
                return ail(fault);
            }
        }
        return true;
    }

    /** Until another server leads, the store neither answers nor ends sessions. */
    private boolean changeLeader() {
        if (!server.loseLeader()) {
            return false;
        }
        world.health().silence();
        world.afterwards(world.lastingNanos(1), () -> {
            world.health().heal();
            server.electLeader();
        });
        return true;
    }

    /** It may even wake before anybody else leads; then there is nothing yet that it does not know. */
    private boolean stallLeader() {
        Runnable wakes = server.stalledLeader();
        if (world.plan().store != StoreKind.ETCD || !changeLeader()) {
            return false;
        }
        world.afterwards(world.lastingNanos(3), () -> {
            if (!world.isRecovering()) {
                wakes.run();
            }
        });
        return true;
    }

    /** Somebody's next renewal is acknowledged, and then its server is cut off together with it. */
    private boolean loseTouch() {
        List<SimulatedProcess> running = world.running();
        if (running.isEmpty()) {
            return false;
        }
        SimulatedProcess process = running.get((int) random.below(running.size()));
        long answeredNanos = 2 * world.plan().latencyNanosMax;
        return server.loseNextTouch(
                process.fact().number,
                () -> world.afterwards(answeredNanos, () -> {
                    if (!world.isRecovering()) {
                        process.link().cut(true, true);
                        world.afterwards(world.lastingNanos(3), () -> reachesAnother(process));
                    }
                }));
    }

    /** It connects at once, or, if it cannot now, with the next call that comes through. */
    private void reachesAnother(SimulatedProcess process) {
        process.link().heal();
        boolean canConnect = process.isAlive()
                && !process.host().isPaused()
                && !world.health().isSilent();
        if (canConnect) {
            server.reconnected(process.fact().number);
        }
    }

    private boolean ail(FaultKind fault) {
        switch (fault) {
            case STORE_OUTAGE -> world.health().silence();
            case STORE_ERRORS -> world.health().fail();
            case STORE_READ_ONLY -> world.health().refuseWrites();
            case STORE_SLOW -> world.health().slowDown();
            default -> {
                return false;
            }
        }
        world.afterwards(world.lastingNanos(3), world.health()::heal);
        return true;
    }

    private long clockStepNanos() {
        long step = 1_000_000L << random.below(24);
        return Math.min(CLOCK_STEP_NANOS_MAX, step + random.below(step));
    }
}
