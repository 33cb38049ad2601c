// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.ChangeTracker.Changes;
import dev.tenure.spi.Versioned;
import dev.tenure.sql.servers.Postgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which records have changed, by one statement. */
@Tag("server")
class ChangedSinceTest {
    private static final String TABLE = "t_changed_since_records";

    private final Postgres server = SharedServers.postgres();
    private final Client client = Client.of(SharedServers.inNamespace(server.url(), "changed-since"));

    @BeforeEach
    void empty() {
        client.read("c/a");
        server.execute("DELETE FROM " + TABLE + " WHERE id <> 'layout'");
    }

    @AfterEach
    void close() {
        client.close();
    }

    private Changes changed(Optional<String> mark) {
        return Client.reply(client.store().changedSince(mark));
    }

    private Changes changedSince(Changes before) {
        return changed(Optional.of(before.mark()));
    }

    private Versioned create(String key) {
        return client.write(Versioned.absent(key, 0), "text");
    }

    @Test
    void what_was_created_or_changed_since_is_told_and_nothing_else() {
        create("c/before");
        Versioned changing = create("c/a");
        Changes mark = changed(Optional.empty());
        assertThat(changedSince(mark).keys())
                .hasValueSatisfying(keys -> assertThat(keys).isEmpty());

        client.write(changing, "other");
        create("c/b");
        Changes after = changedSince(mark);

        assertThat(after.keys()).hasValueSatisfying(keys -> assertThat(keys).containsExactlyInAnyOrder("c/a", "c/b"));
        assertThat(changedSince(after).keys())
                .hasValueSatisfying(keys -> assertThat(keys).isEmpty());
    }

    @Test
    void what_expires_is_not_told() {
        Changes mark = changed(Optional.empty());

        client.write(Versioned.absent("s/a", 0), "text", Duration.ofMinutes(1));

        assertThat(changedSince(mark).keys())
                .hasValueSatisfying(keys -> assertThat(keys).isEmpty());
    }

    @Test
    void a_change_that_was_not_committed_at_the_mark_is_told_although_others_that_began_later_were()
            throws SQLException {
        create("c/slow");
        create("c/quick");
        try (Connection connection = DriverManager.getConnection(server.url());
                Statement slow = connection.createStatement()) {
            connection.setAutoCommit(false);
            slow.execute("UPDATE " + TABLE + " SET version = 'slow' WHERE id = 'c/slow'");
            client.write(client.read("c/quick"), "other");
            Changes mark = changed(Optional.empty());
            connection.commit();

            assertThat(changedSince(mark).keys())
                    .hasValueSatisfying(keys -> assertThat(keys).contains("c/slow"));
        }
    }

    @Test
    void a_change_is_told_also_when_its_row_was_frozen_since() {
        Versioned changing = create("c/a");
        Changes mark = changed(Optional.empty());
        client.write(changing, "other");

        server.execute("VACUUM (FREEZE) " + TABLE);

        assertThat(changedSince(mark).keys())
                .hasValueSatisfying(keys -> assertThat(keys).containsExactly("c/a"));
    }

    @Test
    void when_records_were_deleted_it_cannot_be_told() {
        create("c/a");
        create("c/b");
        Changes mark = changed(Optional.empty());

        server.execute("DELETE FROM " + TABLE + " WHERE id = 'c/b'");

        assertThat(changedSince(mark).keys()).isEmpty();
    }

    @Test
    void a_database_that_cannot_tell_says_so() {
        try (Client h2 = Client.of(SharedServers.h2("changed-since"))) {
            assertThat(Client.reply(h2.store().changedSince(Optional.empty())).keys())
                    .isEmpty();
        }
    }
}
