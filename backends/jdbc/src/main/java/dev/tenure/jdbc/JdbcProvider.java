// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.jdbc.DatabaseAccess.Database;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * {@code jdbc:…}, as the driver wants it, and {@code postgresql://user@host/db} or {@code postgres://…}, as everybody else
 * writes it; options of Tenure begin with {@code tenure.}.
 */
public final class JdbcProvider implements BackendProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("jdbc", "postgresql", "postgres");
    }

    @Override
    public String optionPrefix() {
        return JdbcOptions.OURS;
    }

    @Override
    public JdbcStore connect(BackendUrl url, Host host) {
        JdbcTarget target = JdbcTarget.of(url);
        JdbcOptions options = target.options();
        NotificationListener.Opening opening = () -> target.open(Map.of());
        Connections connections = new Connections.Dedicated(opening, options.timeout(), target.dialect());
        Database database = Database.of(target.dialect(), target.toString(), options, target::redactor);
        Optional<NotificationListener.Opening> listening =
                Optional.of(opening).filter(any -> target.place().startsWith("jdbc:postgresql:"));
        return new JdbcStore(connections, options, Optional.of(database), listening, Duration.ZERO, host);
    }
}
