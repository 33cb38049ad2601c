// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.sql.servers.MariaDb;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The same in virtual time, with the journal in a real MariaDb. */
@Tag("server")
class MigrationOnMariaDbTest extends MigrationTest {
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

    @AfterEach
    void closePool() {
        pool.close();
    }
}
