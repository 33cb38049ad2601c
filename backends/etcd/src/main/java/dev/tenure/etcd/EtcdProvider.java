// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import dev.tenure.etcd.client.EtcdSettings;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.util.Set;

/** {@code etcd://host:2379,host:2379/folder}. Knows nothing of the client until such a URL is opened: starting is cheap. */
public final class EtcdProvider implements BackendProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("etcd");
    }

    @Override
    public StoreBinding connect(BackendUrl url, Host host) {
        return new EtcdBackend(EtcdSettings.of(url), host);
    }
}
