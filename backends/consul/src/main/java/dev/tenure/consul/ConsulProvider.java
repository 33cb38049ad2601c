// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.util.Set;

/** {@code consul://host:8500,host:8500/prefix}. */
public final class ConsulProvider implements BackendProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("consul");
    }

    /** It decides whether Consul keeps others away too, by its lock-delay. */
    @Override
    public Set<String> sharedOptions() {
        return Set.of("standoff");
    }

    @Override
    public StoreBinding connect(BackendUrl url, Host host) {
        return ConsulBackend.connect(url, host);
    }
}
