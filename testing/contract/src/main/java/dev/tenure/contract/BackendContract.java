// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What every backend keeps, through both of its faces: the session door (a {@code LeaseStore} is taken through core's
 * adapter) and the clients that users have. One leader at a time, tokens that only grow, silent holders replaced in their
 * time and not before, conditional releases, drain before release, fences before duties. Run it against the real server, a
 * cluster where it clusters.
 *
 * <pre>{@code
 * class EtcdContractTest extends BackendContract {
 *     @Override
 *     protected StoreBinding connect(String namespace, Host host) {
 *         return new EtcdProvider().connect(BackendUrl.parse(server.url() + "/" + namespace), host);
 *     }
 * }
 * }</pre>
 */
@ExtendWith({UnalteredCases.class, RetryAfterStall.class})
public abstract class BackendContract
        implements SessionCases,
                ClaimCases,
                TokenCases,
                NameCases,
                ObservationCases,
                CandidacyCases,
                DutyCases,
                ExclusiveCases,
                FencedCases,
                DeadlineCases {
    private ElectionFixture fixture = freshFixture();

    private ElectionFixture freshFixture() {
        return new ElectionFixture(this::connect, this::ttl, this::url);
    }

    /**
     * Connects another process to this namespace. The first one finds it empty, and all processes of one namespace stand
     * in the same elections. Closed by the suite, as is the host.
     *
     * @param namespace lower-case letters, digits and dashes, at most 32 of them; new for every test
     */
    protected abstract StoreBinding connect(String namespace, Host host) throws Exception;

    /** The TTL to test with; the nearest one that the traits allow is taken. A slow server may want a longer one. */
    protected Duration ttl() {
        return Duration.ofSeconds(1);
    }

    /** The same place as a URL, if the backend has a provider on the class path. */
    protected Optional<String> url(String namespace) {
        return Optional.empty();
    }

    @Override
    public final ElectionFixture fixture() {
        return fixture;
    }

    /** As if nothing had happened. */
    final void beginAgain() {
        fixture.close();
        fixture = freshFixture();
    }

    @AfterEach
    final void closeEveryProcess() {
        fixture.close();
    }
}
