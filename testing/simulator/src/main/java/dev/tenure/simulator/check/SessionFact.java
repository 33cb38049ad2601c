// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

/** What is true of one session, no matter which process knows it. */
public final class SessionFact {
    final String id;
    final int process;
    final long ttlNanos;
    boolean alive = true;
    /** Its process has said that it lost it. */
    boolean lost;
    /** The first instant at which the store or a rival may end it. */
    long goodUntilNanos;
    /** Until this instant its holder may believe although the store broke its word. */
    long excusedUntilNanos = Long.MIN_VALUE;

    SessionFact(String id, int process, long ttlNanos) {
        this.id = id;
        this.process = process;
        this.ttlNanos = ttlNanos;
    }

    /** Somebody has written it into a claim by hand, and nothing lives behind it. */
    static SessionFact neverOpened(String id, int writer) {
        SessionFact nobodys = new SessionFact(id, writer, 0);
        nobodys.alive = false;
        return nobodys;
    }

    public String id() {
        return id;
    }

    public int process() {
        return process;
    }

    public boolean isAlive() {
        return alive;
    }

    public long goodUntilNanos() {
        return goodUntilNanos;
    }
}
