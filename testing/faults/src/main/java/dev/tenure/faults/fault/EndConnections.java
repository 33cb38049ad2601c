package dev.tenure.faults.fault;

import dev.tenure.faults.store.Grants;
import dev.tenure.faults.store.Primary;
import dev.tenure.faults.store.Reach;

/** All candidates lose their connections at once. Whoever leads by a lease should go on. */
public record EndConnections(Primary primary, Grants grants) implements Fault {
    @Override
    public String name() {
        return "end-connections";
    }

    @Override
    public Reach reach() {
        return Reach.STORE;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        scene.strikes();
        end(scene, grants, primary::endConnections);
        scene.awaitLeaderInTouch();
    }

    /** @param deed ends all connections, and what hangs on them */
    static void end(Scene scene, Grants grants, Scene.Deed deed) throws Exception {
        switch (grants) {
            case OUTLIVE_CONNECTIONS -> deed.run();
            case END_WITH_CONNECTIONS -> scene.breach(deed);
        }
    }
}
