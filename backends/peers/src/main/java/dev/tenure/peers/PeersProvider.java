// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.peers.group.PeersSettings;
import dev.tenure.peers.group.PeersSettings.TimingProfile;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** {@code peers://a@h1:7001,b@h2:7001,c@h3:7001?me=a}. */
public final class PeersProvider implements BackendProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("peers");
    }

    /** A wrong profile is told when one connects. */
    @Override
    public Duration usualTtl(BackendUrl url) {
        return url.option("profile")
                .flatMap(TimingProfile::named)
                .orElse(TimingProfile.DEFAULT)
                .ttl();
    }

    /** A member has a name already. */
    @Override
    public Optional<String> usualNode(BackendUrl url) {
        return url.option("me");
    }

    @Override
    public StoreBinding connect(BackendUrl url, Host host) {
        return PeersBackend.connect(PeersSettings.of(url, System.getenv()), host);
    }
}
