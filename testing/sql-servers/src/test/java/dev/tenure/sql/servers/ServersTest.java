package dev.tenure.sql.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.Executor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ServersTest {
    private static final Executor HERE = Runnable::run;

    @Test
    void a_postgres_keeps_its_data_over_a_crash() {
        try (Postgres server = Postgres.running()) {
            keepsItsDataOverACrash(server);
        }
    }

    @Test
    void a_mariadb_keeps_its_data_over_a_crash() {
        try (MariaDb server = MariaDb.running("--innodb-flush-log-at-trx-commit=1")) {
            keepsItsDataOverACrash(server);
        }
    }

    private static void keepsItsDataOverACrash(SqlServer server) {
        server.execute("CREATE TABLE kept (word VARCHAR(10))", "INSERT INTO kept VALUES ('here')");

        server.kill();
        boolean ran = server.isRunning();
        server.start();

        assertThat(ran).isFalse();
        assertThat(server.ask("SELECT word FROM kept")).isEqualTo("here");
    }

    @Test
    void a_frozen_server_is_silent_until_it_goes_on() throws SQLException {
        try (Postgres server = Postgres.running();
                Connection connection = server.connect()) {
            connection.setNetworkTimeout(HERE, 300);
            server.freeze();

            assertThatThrownBy(() -> connection.createStatement().execute("SELECT 1"))
                    .isInstanceOfAny(SQLException.class, SQLTimeoutException.class);
            server.goOn();

            assertThat(server.ask("SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void a_standby_follows_and_can_be_promoted() {
        try (Postgres primary = Postgres.running();
                Postgres standby = primary.standby()) {
            primary.execute("CREATE TABLE kept (word VARCHAR(10))", "INSERT INTO kept VALUES ('here')");
            Awaitility.await()
                    .until(() -> standby.ask("SELECT count(*) FROM pg_tables WHERE tablename = 'kept'")
                            .equals("1"));

            primary.kill();
            standby.promote();
            standby.execute("INSERT INTO kept VALUES ('after')");

            assertThat(standby.ask("SELECT pg_is_in_recovery()")).isEqualTo("f");
        }
    }
}
