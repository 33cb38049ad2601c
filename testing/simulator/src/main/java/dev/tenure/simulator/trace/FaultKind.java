// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.trace;

/** Everything that can go wrong in a world. Each kind is counted when it is injected. */
public enum FaultKind {
    // The network between one process and the store, message by message.
    REQUEST_DROPPED(Place.MESSAGE, "a request never arrives, and nobody says so"),
    REQUEST_DELAYED(Place.MESSAGE, "a request arrives late, up to three TTLs"),
    REQUEST_DUPLICATED(Place.MESSAGE, "a request is applied twice"),
    REQUEST_ZOMBIE(Place.MESSAGE, "a request fails at the caller and is applied later, up to two TTLs"),
    REPLY_DROPPED(Place.MESSAGE, "applied, but nobody is told"),
    REPLY_DELAYED(Place.MESSAGE, "applied at once, told up to three TTLs later"),
    APPLIED_BUT_ERROR(Place.MESSAGE, "applied, but reported as a failure of unknown outcome"),
    REFUSED_WITH_ERROR(Place.MESSAGE, "not applied, and the store says so for sure"),
    UNKNOWN_EXCEPTION(Place.MESSAGE, "the client library fails with an exception nobody documented"),
    UNKNOWN_ERROR(Place.MESSAGE, "the client library fails with an Error"),
    THROWN_AT_CALL(Place.MESSAGE, "the client library throws instead of failing its stage"),

    // The network, for a while.
    CUT_TO_STORE(Place.NETWORK, "requests are lost, replies and notifications pass"),
    CUT_FROM_STORE(Place.NETWORK, "requests pass, replies and notifications are lost"),
    CUT_BOTH_WAYS(Place.NETWORK, "nothing passes"),
    CUT_EVERYBODY(Place.NETWORK, "nobody reaches the store"),
    CONNECTION_RESET(Place.NETWORK, "everything under way fails at once, applied or not"),
    CLOGGED(Place.NETWORK, "messages pile up and arrive in one burst"),
    LAST_REPLY_LATE(Place.NETWORK, "a reply comes late and is the last one, and the service does not stop by itself"),
    FIRST_REPLY_LATE(Place.NETWORK, "everybody has to begin anew, hears of it late, and then nothing more"),
    STORM(Place.NETWORK, "for a while, a large part of all messages suffers"),

    // Processes.
    CRASH(Place.PROCESS, "a process ends without a word"),
    RESTART(Place.PROCESS, "a new process on the same node"),
    CRASH_EVERYBODY(Place.PROCESS, "all processes end at once"),
    PAUSE_SHORT(Place.PROCESS, "a process stands still for less than its TTL"),
    PAUSE_LONG(Place.PROCESS, "a process stands still for longer than its TTL"),
    PAUSE_BEFORE_WRITE(Place.PROCESS, "a process stands still between its check and its write"),
    CLOSE_AND_REOPEN(Place.PROCESS, "a client is closed in order and opened anew"),
    CLONE(Place.PROCESS, "a second process under the same node name"),
    LOOP_STUCK(Place.PROCESS, "the loop stands still, the user's threads do not"),
    EXECUTOR_SLOW(Place.PROCESS, "callbacks run late"),
    TIMERS_LATE(Place.PROCESS, "wake-ups come late"),

    // Clocks of nodes.
    CLOCK_FAST(Place.CLOCK, "a monotonic clock gains, within the bound"),
    CLOCK_SLOW(Place.CLOCK, "a monotonic clock loses, within the bound"),
    CLOCK_BEYOND_BOUND(Place.CLOCK, "a monotonic clock gains or loses more than is allowed for"),
    WALL_STEP_FORWARD(Place.CLOCK, "a wall clock is set forward"),
    WALL_STEP_BACK(Place.CLOCK, "a wall clock is set back"),
    WALL_FROZEN(Place.CLOCK, "a wall clock stands still"),
    SUSPEND(Place.CLOCK, "a host sleeps: its monotonic clock stands still, its wall clock goes on"),
    COARSE_TICKS(Place.CLOCK, "a monotonic clock moves in ticks of 15 ms"),

    // The store.
    SESSION_REVOKED_EARLY(Place.STORE, "the store ends a session before its TTL"),
    EXPIRY_LATE(Place.STORE, "the store ends sessions later than it should"),
    CLAIM_DELETED(Place.STORE, "an operator removes a claim"),
    CLAIM_EDITED(Place.STORE, "an operator gives a claim to somebody else"),
    CLAIM_GARBLED(Place.STORE, "somebody writes nonsense into a claim and repairs it later"),
    SESSION_DELETED(Place.STORE, "an operator removes a session"),
    STORE_WIPED(Place.STORE, "the store is emptied"),
    STORE_RESTORED(Place.STORE, "the store is put back to an older state"),
    STORE_FAILOVER(Place.STORE, "the store fails over and loses its last writes"),
    STORE_CLOCK_FORWARD(Place.STORE, "the store's clock is set forward"),
    STORE_CLOCK_BACK(Place.STORE, "the store's clock is set back"),
    STORE_OUTAGE(Place.STORE, "the store does not answer"),
    STORE_ERRORS(Place.STORE, "the store answers everything with an error"),
    STORE_READ_ONLY(Place.STORE, "the store refuses writes"),
    STORE_SLOW(Place.STORE, "the store is slow, up to a TTL"),
    TTL_SHORTENED(Place.STORE, "the store grants a shorter TTL than it was asked for"),
    SESSION_SWAPPED(Place.STORE, "all sessions are forgotten, their owners are told"),
    STORE_LEADER_CHANGED(Place.STORE, "another server leads the store, and gives every session its full time again"),
    STALLED_LEADER_REVOKES(Place.STORE, "a leader of the store was voted out, wakes and revokes what others renewed"),
    DEAD_LEASE_RENEWED(Place.STORE, "the store acknowledges the renewal of sessions that are over"),
    TOUCH_LOST(Place.STORE, "a server dies with a renewal that it had acknowledged, and its client reaches no other"),
    EMPTY_ELECTION_REMOVED(Place.STORE, "the store removes an election where nobody stands, and what it counted"),

    // Notifications.
    WATCH_DIED(Place.NOTICE, "a watch goes silent for ever"),
    NOTICE_LOST(Place.NOTICE, "a notification is lost"),
    NOTICE_DUPLICATED(Place.NOTICE, "a notification comes twice"),
    NOTICE_DELAYED(Place.NOTICE, "a notification comes late, up to two TTLs"),
    NOTICE_SPURIOUS(Place.NOTICE, "a notification although nothing has changed"),

    // The user's work and operators.
    ACTIVATION_FAILS(Place.WORK, "the service cannot be switched on"),
    DEACTIVATION_SLOW(Place.WORK, "the service takes its time to stop, within its budget"),
    DEACTIVATION_OVERDUE(Place.WORK, "the service takes longer to stop than its budget"),
    DEACTIVATION_FAILS(Place.WORK, "the service fails while it is switched off"),
    FENCE_FAILS(Place.WORK, "the resource cannot be reached to raise its fence"),
    FENCE_SLOW(Place.WORK, "raising the fence takes long"),
    WRITE_DELAYED(Place.WORK, "a write reaches the resource long after it was sent"),
    LISTENER_THROWS(Place.WORK, "a listener fails"),
    RESIGN(Place.WORK, "a leader resigns by itself"),
    RESIGN_REQUESTED(Place.WORK, "an operator asks the leader to resign"),
    ERA_RAISED(Place.WORK, "an operator raises the era"),
    STAND_DOWN(Place.WORK, "a candidacy is closed and opened anew"),

    // The user's code, in worlds that have it.
    CALLBACK_SLOW(Place.USER_CODE, "a callback takes its time, within its budget"),
    CALLBACK_HANGS(Place.USER_CODE, "a callback returns long after its budget, or never"),
    LISTENER_HANGS(Place.USER_CODE, "an event listener returns after a long time, or never");

    /** Where a fault strikes. */
    public enum Place {
        MESSAGE,
        NETWORK,
        PROCESS,
        CLOCK,
        STORE,
        NOTICE,
        WORK,
        /** Not drawn: strikes in every world whose user code hangs. */
        USER_CODE
    }

    private final Place place;
    private final String meaning;

    FaultKind(Place place, String meaning) {
        this.place = place;
        this.meaning = meaning;
    }

    public Place place() {
        return place;
    }

    public String meaning() {
        return meaning;
    }
}
