// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Servers;

/** kill -9 of one server; it comes back when somebody leads without it. */
public record KillServer(Servers servers, ServerSelector serverSelector) implements InjectedFault {
    @Override
    public String name() {
        return "kill-" + serverSelector.name();
    }

    @Override
    public FaultScope scope() {
        return FaultScope.SERVER;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        int struck = serverSelector.of(servers);
        context.faultBegins();
        servers.kill(struck);
        context.awaitLeaderInTouch();
        servers.start(struck);
        servers.awaitReady();
    }
}
