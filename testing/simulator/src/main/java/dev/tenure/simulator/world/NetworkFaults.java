package dev.tenure.simulator.world;

import dev.tenure.simulator.store.Link;
import dev.tenure.simulator.trace.Fault;
import dev.tenure.testing.SplitMix64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What befalls the network for a while. */
final class NetworkFaults {
    private final World world;
    private final SplitMix64 random;

    NetworkFaults(World world, SplitMix64 random) {
        this.world = world;
        this.random = random;
    }

    boolean strike(Fault fault) {
        List<Incarnation> running = world.running();
        if (running.isEmpty()) {
            return false;
        }
        Incarnation process = running.get((int) random.below(running.size()));
        Link link = process.link();
        long nanos = world.lastingNanos(3);
        switch (fault) {
            case CUT_TO_STORE -> cut(link, true, false, nanos);
            case CUT_FROM_STORE -> cut(link, false, true, nanos);
            case CUT_BOTH_WAYS -> cut(link, true, true, nanos);
            case CUT_EVERYBODY -> running.forEach(each -> cut(each.link(), true, true, nanos));
            case CONNECTION_RESET -> link.reset();
            case CLOGGED -> {
                link.clog();
                world.afterwards(nanos, link::heal);
            }
            case LAST_REPLY_LATE -> {
                process.cling();
                link.delayReplies(process.ttlNanos() / 20 + random.below(process.ttlNanos() / 10));
                thenSilence(process, process.ttlNanos() * 3 / 10);
            }
            case FIRST_REPLY_LATE -> running.forEach(this::beginAnew);
            case STORM -> {
                world.weather().storm(world.plan().stormShare);
                world.afterwards(nanos, () -> {
                    if (!world.isCalm()) {
                        world.weather().usual();
                    }
                });
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** For two TTLs, whoever leads most elections. */
    boolean cutLeader() {
        Optional<Incarnation> leader = world.running().stream()
                .max(Comparator.comparingLong(process -> process.candidatures().stream()
                        .filter(Candidature::hasAuthority)
                        .count()));
        leader.ifPresent(process -> cut(process.link(), true, true, 2 * process.ttlNanos()));
        return leader.isPresent();
    }

    /** Who counts from the arrival of a late reply believes for too long, if no other one comes. */
    private void thenSilence(Incarnation process, long nanos) {
        world.afterwards(nanos, () -> {
            if (!world.isCalm()) {
                cut(process.link(), true, false, 2 * process.ttlNanos());
            }
        });
    }

    private void beginAnew(Incarnation process) {
        long ttlNanos = process.ttlNanos();
        long lateNanos = ttlNanos / 10 + random.below(ttlNanos / 10);
        long slowNanos = ttlNanos / 2 + random.below(ttlNanos);
        process.cling();
        process.link().cut(true, true);
        world.afterwards(3 * ttlNanos / 2, () -> {
            process.link().heal();
            if (!world.isCalm()) {
                process.link().delayReplies(lateNanos);
                world.afterwards(slowNanos, () -> process.link().delayReplies(0));
                thenSilence(process, slowNanos + ttlNanos / 20);
            }
        });
    }

    private void cut(Link link, boolean to, boolean from, long nanos) {
        link.cut(to, from);
        world.afterwards(nanos, link::heal);
    }
}
