package dev.tenure.faults.fault;

import dev.tenure.faults.store.Reach;

/** One thing that goes wrong, and comes right again. */
public sealed interface Fault
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

    Reach reach();

    /** Strikes, waits for what must follow, and heals. */
    void strike(Scene scene) throws Exception;
}
