// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Watch;
import dev.tenure.sql.servers.Postgres;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whose changes are heard, where tables of one name stand in several schemas of one database of PostgreSQL. */
@Tag("server")
class SchemasTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Postgres server = SharedServers.postgres();
    private final Set<String> heard = ConcurrentHashMap.newKeySet();

    private Client client(String namespace, String option) {
        return Client.of(SharedServers.inNamespace(server.url(), namespace) + "&" + option);
    }

    private void changeUntilHeard(Client client, String key) {
        Awaitility.await("a hint of " + key).atMost(PATIENCE).until(() -> {
            client.write(client.read(key), "change");
            return heard.contains(key);
        });
    }

    @Test
    void a_change_in_another_schema_is_not_heard() {
        try (Client here = client("apart", "tenure.schema=here");
                Client there = client("apart", "tenure.schema=there");
                Watch watch = here.store().watch("c/", heard::add)) {
            changeUntilHeard(here, "c/listening");

            there.write(there.read("c/theirs"), "change");
            changeUntilHeard(here, "c/ours"); // and before it all that was announced before

            assertThat(heard).doesNotContain("c/theirs");
        }
    }

    @Test
    void one_who_names_the_schema_and_one_who_finds_the_table_there_hear_each_other() {
        Set<String> heardByFinder = ConcurrentHashMap.newKeySet();
        try (Client namer = client("found", "tenure.schema=named");
                Watch watch = namer.store().watch("c/", heard::add)) {
            changeUntilHeard(namer, "c/made");
            try (Client finder = client("found", "currentSchema=elsewhere,named");
                    Watch other = finder.store().watch("c/", heardByFinder::add)) {
                changeUntilHeard(finder, "c/by-the-finder");

                Awaitility.await().atMost(PATIENCE).until(() -> {
                    namer.write(namer.read("c/by-the-namer"), "change");
                    return heardByFinder.contains("c/by-the-namer");
                });
            }
        }
    }

    @Test
    void a_table_that_was_dropped_and_made_anew_is_listened_to_again() {
        try (Client client = client("anew", "tenure.schema=anew");
                Watch watch = client.store().watch("c/", heard::add)) {
            changeUntilHeard(client, "c/before");

            server.execute("DROP TABLE anew.t_anew_records");

            Awaitility.await("a hint")
                    .atMost(PATIENCE)
                    .ignoreException(BackendException.class)
                    .until(() -> {
                        client.write(client.read("c/after"), "change");
                        return heard.contains("c/after");
                    });
        }
    }
}
