// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Host;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("server")
class ReconnectDetectorTest {
    private final Host host = SystemHost.start("test");
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        host.shutdown();
    }

    private static Connection fresh() throws SQLException {
        return DriverManager.getConnection(SharedServers.h2("reconnects"));
    }

    private Connections.ReconnectDetector heardWithPause(Duration pause) {
        return new Connections.ReconnectDetector(host, pause, () -> heard.add("told"));
    }

    @Test
    void a_connection_is_told_when_it_is_used_for_the_first_time() throws SQLException {
        Connections.ReconnectDetector reconnects = heardWithPause(Duration.ZERO);
        try (Connection one = fresh();
                Connection other = fresh()) {
            reconnects.taken(one);
            reconnects.taken(one);
            reconnects.taken(other);
            reconnects.taken(one);
        }

        assertThat(heard).hasSize(2);
    }

    @Test
    void those_that_come_too_soon_after_one_are_told_together_when_the_pause_is_over() throws SQLException {
        Connections.ReconnectDetector reconnects = heardWithPause(Duration.ofSeconds(1));
        try (Connection first = fresh();
                Connection second = fresh();
                Connection third = fresh()) {
            reconnects.taken(first);
            reconnects.taken(second);
            reconnects.taken(third);
            assertThat(heard).hasSize(1);

            Awaitility.await().atMost(Client.PATIENCE).until(() -> heard.size() == 2);
            reconnects.taken(second);
        }

        assertThat(heard).hasSize(2);
    }
}
