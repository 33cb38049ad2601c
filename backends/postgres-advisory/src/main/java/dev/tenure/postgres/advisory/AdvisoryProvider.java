// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.jdbc.JdbcTarget;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import java.util.Set;

/** {@code postgresql+advisory://user@host/db}; options of Tenure begin with {@code tenure.}. */
public final class AdvisoryProvider implements BackendProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("postgresql+advisory", "postgres+advisory");
    }

    @Override
    public String optionPrefix() {
        return "tenure.";
    }

    @Override
    public AdvisoryBackend connect(BackendUrl url, Host host) {
        return new AdvisoryBackend(JdbcTarget.of(url), host);
    }
}
