// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.sql.servers.MariaDb;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same in virtual time, with the journal in a real MariaDb. */
@Tag("server")
class CronOnMariaDbTest extends CronTest {
    private static MariaDb server;
    private HikariDataSource pool;

    @BeforeAll
    static void start() {
        server = MariaDb.running();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    DataSource open() {
        pool = Databases.on(server);
        return pool;
    }

    @Test
    void its_clock_is_the_same_in_the_hour_that_a_zone_has_twice() throws SQLException {
        long secondTime = 1_792_891_800; // 2026-10-25T01:30Z, which is 02:30 in Berlin, as an hour before
        server.execute("INSERT INTO mysql.time_zone_name VALUES ('Berlin', 900)");
        server.execute("INSERT INTO mysql.time_zone VALUES (900, 'N')");
        server.execute(
                "INSERT INTO mysql.time_zone_transition_type VALUES (900, 0, 7200, 1, ''), (900, 1, 3600, 0, '')");
        server.execute("INSERT INTO mysql.time_zone_transition VALUES (900, 1774746000, 0), (900, 1792890000, 1)");
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET time_zone = 'Berlin'");
            statement.execute("SET timestamp = " + secondTime);
            ResultSet now = statement.executeQuery("SELECT " + Journal.Product.MARIADB.now + ", NOW()");
            now.next();
            assertThat(now.getString(2)).startsWith("2026-10-25 02:30:00");
            assertThat(now.getLong(1)).isEqualTo(secondTime * 1000);
        }
    }

    @AfterEach
    void closePool() {
        pool.close();
    }
}
