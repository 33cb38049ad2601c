// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A real store on this machine, and what can be done to it. */
public interface StoreUnderTest extends AutoCloseable {
    /** Servers of which any can fail, because the others go on by themselves. */
    Optional<Servers> servers();

    /** Where candidates go; none for a store without servers, from which a candidate cannot be cut off either. */
    default List<Integer> ports() {
        return servers().map(Servers::ports).orElse(List.of());
    }

    /** The one server on which everything hangs, where there is such a one. */
    default Optional<Primary> primary() {
        return Optional.empty();
    }

    default Grants grants() {
        return Grants.OUTLIVE_CONNECTIONS;
    }

    default Optional<Standby> standby() {
        return Optional.empty();
    }

    /** Empty where no wall clock matters, or where it cannot be moved alone. */
    default Optional<WallClock> clock() {
        return Optional.empty();
    }

    /** Empty where no operator reaches what is written there. */
    Optional<Records> records();

    /** How a candidate reaches the servers at these addresses, which stand for their ports in their order. */
    String url(List<String> addresses);

    /** How long there may be no leader, by this store's page in the docs. */
    Duration bound(FaultScope scope, Duration ttl);

    @Override
    void close() throws Exception;
}
