// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.store.FaultScope;

/** One thing that goes wrong, and comes right again. */
public sealed interface InjectedFault
        permits BreakLease,
                ClockBack,
                ClockForward,
                CrashPrimary,
                CutOff,
                EndConnections,
                FreezePrimary,
                KillBoth,
                KillCandidate,
                KillServer,
                PromoteLagging,
                RestartAll,
                StopCandidate,
                StopServer {
    /** What {@code --fault} calls it. */
    String name();

    FaultScope scope();

    /** Strikes, waits for what must follow, and heals. */
    void inject(FaultContext context) throws Exception;
}
