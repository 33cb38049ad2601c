// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Servers;

/** SIGSTOP of one server, for longer than a term lasts without a renewal; it goes on when somebody leads without it. */
public record StopServer(Servers servers, ServerSelector serverSelector) implements InjectedFault {
    @Override
    public String name() {
        return "stop-" + serverSelector.name();
    }

    @Override
    public FaultScope scope() {
        return FaultScope.SERVER;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        int struck = serverSelector.of(servers);
        context.faultBegins();
        servers.stop(struck);
        try {
            context.letPass(context.ttl().plus(context.ttl().dividedBy(4)));
            context.awaitLeaderInTouch();
        } finally {
            servers.goOn(struck);
        }
        servers.awaitReady();
    }
}
