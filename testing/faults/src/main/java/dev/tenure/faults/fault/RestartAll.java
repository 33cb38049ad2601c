package dev.tenure.faults.fault;

import dev.tenure.faults.store.Reach;
import dev.tenure.faults.store.Servers;

/** kill -9 of all servers at once; they come back while the leader still believes, or when it has given up: by chance. */
public record RestartAll(Servers servers) implements Fault {
    @Override
    public String name() {
        return "restart-all";
    }

    @Override
    public Reach reach() {
        return Reach.STORE;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        int count = servers.ports().size();
        for (int server = 0; server < count; server++) {
            servers.kill(server);
        }
        if (scene.tossesACoin()) {
            scene.letPass(scene.ttl());
        }
        for (int server = 0; server < count; server++) {
            servers.start(server);
        }
        servers.awaitReady();
        scene.strikes();
    }
}
