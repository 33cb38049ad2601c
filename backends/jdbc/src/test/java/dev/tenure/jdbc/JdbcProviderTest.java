// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Tenure;
import dev.tenure.TenureBuilder;
import dev.tenure.sql.servers.SqlServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("server")
class JdbcProviderTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            jdbc:h2:mem:x?tenure.shema=a                     | unknown option 'tenure.shema'
            jdbc:h2:mem:x?tenure.schema=A-b                  | the schema 'A-b' is not
            jdbc:h2:mem:x?tenure.prefix=x;drop               | the prefix 'x;drop' is not
            jdbc:h2:mem:x?tenure.tables=maybe                | must be create or expect
            jdbc:h2:mem:x?tenure.timeout=0s                  | a timeout of 0 ms is outside
            jdbc:h2:mem:x?ttl=5s                             | write tenure.ttl instead of ttl
            jdbc:oracle:thin:scott/hunter2@host              | no dialect for 'oracle'
            jdbc:postgresql://localhost:a-port/x             | a port that is no number
            """)
    void a_url_that_cannot_work_is_refused_at_once(String url, String why) {
        TenureBuilder builder = Tenure.connect(url);

        assertThatThrownBy(builder::open).hasMessageContaining(why).hasMessageNotContaining("hunter2");
    }

    @Test
    void a_postgresql_can_be_named_as_everybody_does() {
        SqlServer server = SharedServers.postgres();
        String url = "postgresql://" + SqlServer.USER + ":" + SqlServer.PASSWORD + "@127.0.0.1:" + server.port();

        try (Client client = Client.of(url + "/postgres?tenure.prefix=plain_")) {
            assertThat(client.read("c/a").isPresent()).isFalse();
            assertThat(client.store().traits().store()).isEqualTo(server.plainUrl(SqlServer.DATABASE));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "postgres", "jdbc:postgresql"})
    void user_and_password_may_stand_before_the_host_of_a_postgresql(String scheme) {
        SqlServer server = SharedServers.postgres();

        try (Client client = Client.of(scheme + "://" + login(server) + "/postgres?tenure.prefix=named_")) {
            assertThat(client.read("c/a").isPresent()).isFalse();
        }
    }

    @Test
    void user_and_password_may_stand_before_the_host_of_a_mariadb() {
        try (Client client = Client.of("jdbc:mariadb://" + login(SharedServers.mariaDb()) + "/tenure")) {
            assertThat(client.read("c/a").isPresent()).isFalse();
        }
    }

    private static String login(SqlServer server) {
        return SqlServer.USER + ":" + SqlServer.PASSWORD.replace("-", "%2D") + "@127.0.0.1:" + server.port();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            jdbc:h2:mem:x;tenure.prefix=a               | write ?tenure.prefix=… at the end of the store URL
            jdbc:h2:mem:x;MODE=MySQL; Tenure.TTL=1s;A=B | write ?tenure.ttl=… at the end of the store URL
            jdbc:h2:mem:x;tenure.prefix=a?tenure.ttl=1s | write &tenure.prefix=… at the end of the store URL
            """)
    void an_option_of_tenure_among_the_settings_of_the_driver_is_refused_with_the_right_form(String url, String why) {
        assertThatThrownBy(() -> Tenure.connect(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void common_options_begin_as_all_others_of_tenure() {
        TenureBuilder builder = Tenure.connect("jdbc:h2:mem:x?tenure.ttl=1ms");

        assertThatThrownBy(builder::open).hasMessageContaining("a TTL of 1 ms is outside");
    }

    @Test
    void the_place_is_shown_without_settings_and_secrets() {
        try (Client client = Client.of("jdbc:h2:mem:shown;DB_CLOSE_DELAY=-1;USER=sa;PASSWORD=hunter2")) {
            assertThat(client.store().traits().store()).isEqualTo("jdbc:h2:mem:shown");
        }
    }

    @Test
    void a_password_can_come_from_a_file_and_is_read_again_for_each_connection(@TempDir Path folder)
            throws IOException {
        SqlServer server = SharedServers.postgres();
        Path file = folder.resolve("password");
        Files.writeString(file, "not yet\n");
        String url = server.plainUrl(SqlServer.DATABASE) + "?user=tenure&tenure.password.file=" + file;

        try (Client client = Client.of(url + "&tenure.prefix=filed_")) {
            assertThat(client.readFailure()).hasMessageContaining("password");
            Files.writeString(file, SqlServer.PASSWORD + "\n");

            assertThat(client.read("c/a").isPresent()).isFalse();
        }
    }

    @Test
    void tables_are_made_in_the_schema_that_is_named() {
        SqlServer server = SharedServers.postgres();

        try (Client client = Client.of(server.url() + "&tenure.schema=elections&tenure.prefix=x_")) {
            client.read("c/a");
        }

        assertThat(server.ask("SELECT content FROM elections.x_records WHERE id = 'layout'"))
                .isEqualTo("1");
    }

    @Test
    void a_user_who_may_create_tables_in_a_schema_but_no_schemas_needs_no_more() {
        SqlServer server = SharedServers.postgres();
        server.execute(
                "CREATE ROLE tenant LOGIN PASSWORD '" + SqlServer.PASSWORD + "'",
                "CREATE SCHEMA granted",
                "GRANT USAGE, CREATE ON SCHEMA granted TO tenant");
        String url = server.url().replace("user=tenure", "user=tenant") + "&tenure.schema=granted";

        try (Client client = Client.of(url)) {
            assertThat(client.read("c/a").isPresent()).isFalse();
        }
    }

    @Test
    void a_schema_of_mariadb_is_made_on_demand_too() {
        SqlServer server = SharedServers.mariaDb();

        try (Client client = Client.of(server.url() + "&tenure.schema=elections")) {
            assertThat(client.read("c/a").isPresent()).isFalse();
        }

        assertThat(server.ask("SELECT content FROM elections.tenure_records WHERE id = 'layout'"))
                .isEqualTo("1");
    }
}
