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
        Identity self,
        Calls calls,
        Traffic traffic,
        EraView era,
        TermLedger ledger,
        SessionEvents events,
        BooleanSupplier over) {

    long sessionId() {
        return self.sessionId();
    }

    String id() {
        return self.id();
    }

    Duration ttl() {
        return Duration.ofMillis(self.ttlMillis());
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
