package dev.tenure.zookeeper;

/**
 * What the servers have granted a session, which does not change while it lasts.
 *
 * @param id as ZooKeeper itself writes it
 * @param ttlMillis what its holder may rely on
 */
record Identity(long sessionId, String id, long ttlMillis) {
    static Identity of(Connection connection, Lifetimes lifetimes) {
        long sessionId = connection.sessionId();
        long ttlMillis = lifetimes.ttl(connection.timeoutMillis()).toMillis();
        return new Identity(sessionId, "0x" + Long.toHexString(sessionId), ttlMillis);
    }
}
