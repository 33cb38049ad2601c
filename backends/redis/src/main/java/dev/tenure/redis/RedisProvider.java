// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.ExternalTokens;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import java.util.Set;

/** {@code redis://host:6379}, {@code rediss://} with TLS, and {@code redis://s1,s2,s3?sentinel=NAME}. */
public final class RedisProvider implements BackendProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("redis", "rediss");
    }

    @Override
    public LeaseStore connect(BackendUrl url, Host host) {
        RedisSettings settings = RedisSettings.of(url);
        return url.option("tokens")
                .<LeaseStore>map(text -> new RedisStore.WithTokens(settings, ExternalTokens.connect(text, host), host))
                .orElseGet(() -> new RedisStore(settings, host));
    }
}
