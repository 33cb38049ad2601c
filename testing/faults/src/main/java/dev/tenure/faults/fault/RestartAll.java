// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Servers;

/** kill -9 of all servers at once; they come back while the leader still believes, or when it has given up: by chance. */
public record RestartAll(Servers servers) implements InjectedFault {
    @Override
    public String name() {
        return "restart-all";
    }

    @Override
    public FaultScope scope() {
        return FaultScope.STORE;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        int count = servers.ports().size();
        for (int server = 0; server < count; server++) {
            servers.kill(server);
        }
        if (context.tossesACoin()) {
            context.letPass(context.ttl());
        }
        for (int server = 0; server < count; server++) {
            servers.start(server);
        }
        servers.awaitReady();
        context.faultBegins();
    }
}
