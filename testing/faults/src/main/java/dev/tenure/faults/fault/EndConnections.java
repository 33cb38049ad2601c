// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Grants;
import dev.tenure.faults.store.Primary;

/** All candidates lose their connections at once. A candidate that leads by a lease should go on. */
public record EndConnections(Primary primary, Grants grants) implements InjectedFault {
    @Override
    public String name() {
        return "end-connections";
    }

    @Override
    public FaultScope scope() {
        return FaultScope.STORE;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        context.faultBegins();
        end(context, grants, primary::endConnections);
        context.awaitLeaderInTouch();
    }

    /** @param deed ends all connections, and what hangs on them */
    static void end(FaultContext context, Grants grants, FaultContext.Deed deed) throws Exception {
        switch (grants) {
            case OUTLIVE_CONNECTIONS -> deed.run();
            case END_WITH_CONNECTIONS -> context.breach(deed);
        }
    }
}
