// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.redlock;

import dev.tenure.redis.RedisSettings;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.ExternalTokens;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.support.StoreUrl;
import java.time.Duration;
import java.util.Set;

/** {@code redlock://host1,host2,host3?tokens=URL}. */
public final class RedlockProvider implements BackendProvider {
    private static final String EXAMPLE = "redlock://host1,host2,host3?tokens=jdbc:postgresql://host/database";
    private static final Set<String> OPTIONS = Set.of("prefix", "timeout", "tokens", "restart.pause");
    private static final int SERVERS_MIN = 3;

    @Override
    public Set<String> schemes() {
        return Set.of("redlock");
    }

    @Override
    public LeaseStore connect(BackendUrl url, Host host) {
        RedisSettings settings = RedisSettings.of(url, EXAMPLE, OPTIONS);
        if (settings.servers().size() < SERVERS_MIN || settings.servers().size() % 2 == 0) {
            throw StoreUrl.refused(
                    "redlock:// needs an odd number of servers, three or more: a majority of them decides."
                            + " For one server write redis://");
        }
        String tokens = url.option("tokens")
                .orElseThrow(() -> StoreUrl.refused("redlock:// needs a store that loses nothing, from which tokens are"
                        + " drawn: add ?tokens=URL, as in " + EXAMPLE));
        Duration pause = url.duration("restart.pause").orElse(Duration.ofSeconds(10));
        return new RedlockStore(settings, pause, ExternalTokens.connect(tokens, host), host);
    }
}
