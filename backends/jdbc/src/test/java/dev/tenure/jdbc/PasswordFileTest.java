// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Passwords that are in no URL. */
@Tag("server")
class PasswordFileTest {
    private static final String PGPASS = "org.postgresql.pgpassfile";

    @TempDir
    Path folder;

    private final Postgres server = SharedServers.postgres();

    private String url() {
        return "postgresql://" + SqlServer.USER + "@127.0.0.1:" + server.port() + "/postgres?tenure.prefix=t_password_";
    }

    @Test
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void the_password_can_be_in_a_pgpass_file() throws IOException {
        Path pgpass = folder.resolve("pgpass");
        Files.writeString(pgpass, "127.0.0.1:*:postgres:" + SqlServer.USER + ":" + SqlServer.PASSWORD + "\n");
        System.setProperty(PGPASS, pgpass.toString());
        try (Client client = Client.of(url())) {
            assertThat(client.read("c/a").isPresent()).isFalse();
        } finally {
            System.clearProperty(PGPASS);
        }
    }

    @Test
    void a_password_that_was_changed_in_its_file_is_used_for_the_next_connection() throws IOException {
        Path file = folder.resolve("password");
        Files.writeString(file, "not this one\n");
        try (Client client = Client.of(url() + "&tenure.password.file=" + file)) {
            assertThat(client.readFailure()).hasMessageContaining("refuses the user or the password");
            Files.writeString(file, SqlServer.PASSWORD + "\n");

            assertThat(client.read("c/a").isPresent()).isFalse();
        }
    }
}
