package dev.tenure.simulator.world;

import dev.tenure.simulator.store.Link;
import dev.tenure.simulator.trace.Fault;
import dev.tenure.testing.SplitMix64;
import java.util.List;

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
        Link link = running.get((int) random.below(running.size())).link();
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

    private void cut(Link link, boolean to, boolean from, long nanos) {
        link.cut(to, from);
        world.afterwards(nanos, link::heal);
    }
}
