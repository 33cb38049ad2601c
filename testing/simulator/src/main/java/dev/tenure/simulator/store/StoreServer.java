// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store;

/** What fate and operators can do to a store behind either door. */
public interface StoreServer {
    /** Ends one open session before its time; false if there is none. */
    boolean revokeSession(long pick);

    /** All sessions are gone, claims and all else stays as it may. */
    void forgetSessions();

    /** From now on sessions end this much later than they should. */
    void expireLate(long byNanos);

    boolean stepClock(long byNanos);

    boolean deleteClaim(int election);

    boolean editClaim(int election);

    boolean garbleClaim(int election);

    void repairClaim(int election);

    void takeSnapshot();

    void restoreSnapshot();

    void wipe();

    /** The last writes, although acknowledged, were never made. */
    void loseLast(int writes);

    /** One watch never says anything again; false if there is none. */
    boolean killWatch(long pick);

    void spuriousNotice(int election);

    /** New sessions get only this part of the TTL they ask for; false if the store has no say in it. */
    default boolean grantShorter(int percent) {
        return false;
    }

    /** The server that leads the others is gone, and nobody judges sessions; false if there is no such server. */
    default boolean loseLeader() {
        return false;
    }

    /** Another one leads. */
    default void electLeader() {}

    /** What the leader of this moment does when it wakes from a stall without knowing that another one leads. */
    default Runnable stalledLeader() {
        return () -> {};
    }

    /**
     * The next sign of life of this process is acknowledged, but never handed on to the server that judges; false if servers
     * hand nothing on.
     *
     * @param then when that has happened
     */
    default boolean loseNextTouch(int process, Runnable then) {
        return false;
    }

    /** A process whose server was lost with its sign of life has found another one. */
    default void reconnected(int process) {}

    /** Removes the place of an election where nobody stands; false if that does not happen. */
    default boolean removeEmpty(int election) {
        return false;
    }

    int era();

    /** An operator raises it, after the store has forgotten it. */
    void setEra(int era);

    /** How many sessions stand in the store as open. */
    int sessionsOpen();
}
