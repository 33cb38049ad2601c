package dev.tenure.faults.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A real store on this machine, and what can be done to it. */
public interface StoreUnderTest extends AutoCloseable {
    /** Empty for a store without servers: then a candidate cannot be cut off from them either. */
    Optional<Servers> servers();

    /** Empty where no operator reaches what is written there. */
    Optional<Records> records();

    /** How a candidate reaches the servers at these addresses, which stand for their ports in their order. */
    String url(List<String> addresses);

    /** How long there may be no leader, by this store's page in the docs. */
    Duration bound(Reach reach, Duration ttl);

    @Override
    void close() throws Exception;
}
