// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import dev.tenure.zookeeper.client.Settings;
import java.util.Set;

/** {@code zk://host1:2181,host2:2181/path}, or {@code zookeeper://…}. */
public final class ZooKeeperProvider implements BackendProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("zk", "zookeeper");
    }

    @Override
    public StoreBinding connect(BackendUrl url, Host host) {
        return new ZooKeeperBackend(Settings.parse(url), host);
    }
}
