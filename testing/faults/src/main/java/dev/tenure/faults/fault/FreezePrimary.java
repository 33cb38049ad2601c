// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Primary;

/** SIGSTOP of the only server, for longer than a term lasts without a renewal; what was sent to it meanwhile arrives then. */
public record FreezePrimary(Primary primary) implements InjectedFault {
    @Override
    public String name() {
        return "freeze-server";
    }

    @Override
    public FaultScope scope() {
        return FaultScope.STORE;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        primary.stop();
        try {
            context.letPass(context.ttl().plus(context.ttl().dividedBy(4)));
        } finally {
            primary.goOn();
        }
        context.faultBegins();
    }
}
