// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Grants;
import dev.tenure.faults.store.Primary;

/** kill -9 of the only server; it comes back while the leader still believes, or when it has given up: by chance. */
public record CrashPrimary(Primary primary, Grants grants) implements InjectedFault {
    @Override
    public String name() {
        return "crash-server";
    }

    @Override
    public FaultScope scope() {
        return FaultScope.STORE;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        EndConnections.end(context, grants, primary::kill);
        if (context.tossesACoin()) {
            context.letPass(context.ttl());
        }
        primary.start();
        context.faultBegins();
    }
}
