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
class ReconnectionsTest {
    private final Host host = SystemHost.start("test");
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        host.shutdown();
    }

    private static Connection fresh() throws SQLException {
        return DriverManager.getConnection(SharedServers.h2("reconnections"));
    }

    private Reconnections heardWithPause(Duration pause) {
        Reconnections reconnections = new Reconnections(host, pause);
        reconnections.watch("c/", hint -> heard.add(hint));
        return reconnections;
    }

    @Test
    void a_connection_is_told_when_it_is_used_for_the_first_time() throws SQLException {
        Reconnections reconnections = heardWithPause(Duration.ZERO);
        try (Connection one = fresh();
                Connection other = fresh()) {
            reconnections.taken(one);
            reconnections.taken(one);
            reconnections.taken(other);
            reconnections.taken(one);
        }

        assertThat(heard).containsExactly("c/", "c/");
    }

    @Test
    void those_that_come_too_soon_after_one_are_told_together_when_the_pause_is_over() throws SQLException {
        Reconnections reconnections = heardWithPause(Duration.ofSeconds(1));
        try (Connection first = fresh();
                Connection second = fresh();
                Connection third = fresh()) {
            reconnections.taken(first);
            reconnections.taken(second);
            reconnections.taken(third);
            assertThat(heard).hasSize(1);

            Awaitility.await().atMost(Client.PATIENCE).until(() -> heard.size() == 2);
            reconnections.taken(second);
        }

        assertThat(heard).hasSize(2);
    }
}
