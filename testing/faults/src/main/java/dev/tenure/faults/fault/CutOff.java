package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.Belief;
import dev.tenure.faults.network.Links;
import dev.tenure.faults.network.Weather;
import dev.tenure.faults.store.Reach;
import java.time.Duration;
import java.util.function.Function;

/**
 * The process that leads is cut off from all servers, until another one leads. Then what was on its way arrives late, or is
 * lost: both happen, by chance.
 *
 * @param weather by the TTL
 */
public record CutOff(String name, Reach reach, Function<Duration, Weather> weather) implements Fault {
    @Override
    public void strike(Scene scene) throws Exception {
        Belief leader = scene.leader();
        Links links = scene.links(leader);
        scene.strikes();
        links.become(weather.apply(scene.ttl()));
        try {
            scene.awaitSuccessor(leader);
        } finally {
            if (scene.tossesACoin()) {
                links.reset();
            }
            links.become(Weather.FINE);
        }
    }
}
