package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.Belief;
import dev.tenure.faults.network.Links;
import dev.tenure.faults.store.Reach;
import dev.tenure.support.NetworkConditions;
import java.time.Duration;
import java.util.function.Function;

/**
 * The process that leads is cut off from all servers, until another one leads. Then what was on its way arrives late, or is
 * lost: both happen, by chance.
 *
 * @param conditions by the TTL
 */
public record CutOff(String name, Reach reach, Function<Duration, NetworkConditions> conditions) implements Fault {
    @Override
    public void strike(Scene scene) throws Exception {
        Belief leader = scene.leader();
        Links links = scene.links(leader);
        scene.strikes();
        links.become(conditions.apply(scene.ttl()));
        try {
            scene.awaitSuccessor(leader);
        } finally {
            if (scene.tossesACoin()) {
                links.reset();
            }
            links.become(NetworkConditions.NORMAL);
        }
    }
}
