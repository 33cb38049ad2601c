// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.time.Duration;
import java.util.Set;

/** {@code kubernetes:} and {@code kubernetes://namespace}. */
public final class KubernetesProvider implements BackendProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("kubernetes");
    }

    /** As everybody's in Kubernetes. */
    @Override
    public Duration usualTtl(BackendUrl url) {
        return Duration.ofSeconds(15);
    }

    @Override
    public StoreBinding connect(BackendUrl url, Host host) {
        LeaseApi api = new LeaseApi(KubernetesSettings.of(url), host);
        return api.settings().sessions() ? new RecordLeases(api, host) : new KubernetesBackend(api, host);
    }
}
