// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What every {@link LeaseStore} keeps: conditional writes, versions that never return, linearizable reads, an honest
 * judgement of expiry, hints, and calls that do not block. Run it against the real store.
 *
 * <pre>{@code
 * class LocalLeaseStoreContractTest extends LeaseStoreContract {
 *     @TempDir
 *     Path directory;
 *
 *     @Override
 *     protected LeaseStore open(String namespace, Host host) {
 *         return LocalStore.open(directory.resolve(namespace), host);
 *     }
 * }
 * }</pre>
 *
 * <p>Run {@link BackendContract} as well: this suite is about records, that one about elections.
 */
@ExtendWith(UnalteredCases.class)
public abstract class LeaseStoreContract extends StoreFixture
        implements RecordCases, ListingCases, RaceCases, ExpiryCases, NotificationCases, AsyncBehaviourCases {
    /**
     * Opens another client of this namespace. The first one finds it empty, and all clients of one namespace share their
     * records; another namespace shares none of them. Closed by the suite, as is the host.
     *
     * @param namespace lower-case letters, digits and dashes, at most 32 of them; new for every test
     */
    @Override
    protected abstract LeaseStore open(String namespace, Host host) throws Exception;

    /** The TTL to test with; the nearest one that the traits allow is taken. A slow server may want a longer one. */
    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(1);
    }
}
