// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.claim;

import dev.tenure.spi.Host;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.StoreEra;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * What everything that one session does has in common.
 *
 * @param granted what the servers have granted, which does not change while the session lasts
 * @param eraSeen called with the era of the store whenever it was read; ends the session if the store is another one, or gone
 */
public record SessionContext(
        Granted granted,
        Settings settings,
        Host host,
        ZooKeeperCalls calls,
        SessionEvents events,
        Consumer<Optional<StoreEra>> eraSeen) {

    /**
     * @param ttl for how long a renewal is good while all goes well
     * @param over true once nothing may be sent any more
     */
    public record Granted(long sessionId, Duration ttl, BooleanSupplier over) {}

    /** As ZooKeeper itself writes it. */
    public String id() {
        return "0x" + Long.toHexString(granted.sessionId);
    }

    public boolean isOver() {
        return granted.over.getAsBoolean();
    }
}
