package dev.tenure.zookeeper;

import dev.tenure.spi.Host;
import dev.tenure.spi.SessionEvents;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** What everything that one session does has in common. */
record SessionScene(
        Settings settings,
        Host host,
        Connection connection,
        Calls calls,
        Traffic traffic,
        EraView era,
        TermLedger ledger,
        SessionEvents events,
        BooleanSupplier over) {

    long sessionId() {
        return connection.sessionId();
    }

    /** As ZooKeeper itself writes it. */
    String id() {
        return "0x" + Long.toHexString(sessionId());
    }

    Duration ttl() {
        return settings.lifetimes().ttl(connection.timeoutMillis());
    }

    /** @param gap see {@link SignsOfLife} */
    Duration ttlAfter(Duration gap) {
        return settings.lifetimes().ttl(connection.timeoutMillis(), gap);
    }

    Duration handedOnWithin() {
        return settings.lifetimes().handedOnWithin(connection.timeoutMillis());
    }

    boolean isOver() {
        return over.getAsBoolean();
    }
}
