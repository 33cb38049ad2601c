package dev.tenure.faults.fault;

import dev.tenure.faults.store.Grants;
import dev.tenure.faults.store.Primary;
import dev.tenure.faults.store.Reach;

/** kill -9 of the only server; it comes back while the leader still believes, or when it has given up: by chance. */
public record CrashPrimary(Primary primary, Grants grants) implements Fault {
    @Override
    public String name() {
        return "crash-server";
    }

    @Override
    public Reach reach() {
        return Reach.STORE;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        EndConnections.end(scene, grants, primary::kill);
        if (scene.tossesACoin()) {
            scene.letPass(scene.ttl());
        }
        primary.start();
        scene.strikes();
    }
}
