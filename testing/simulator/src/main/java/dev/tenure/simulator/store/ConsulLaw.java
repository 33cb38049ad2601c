package dev.tenure.simulator.store;

/**
 * Consul, as our backend uses it. A session may be silent for twice its TTL before it is ended. Only the leader of the servers
 * counts, in its memory, so that a new one gives every session its full time again. Tokens are indexes of the Raft log, which do
 * not care who leads.
 */
public record ConsulLaw() implements StoreLaw {
    private static final int TIMEOUT_TTLS = 2;

    @Override
    public Lifetime grant(long wantedNanos) {
        return new Lifetime(wantedNanos, TIMEOUT_TTLS * wantedNanos);
    }

    @Override
    public boolean hasLeader() {
        return true;
    }

    @Override
    public boolean tellsClosingFromEnding() {
        return false;
    }
}
