// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Leadership;
import dev.tenure.sql.servers.Postgres;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Somebody puts an older dump back, under candidates that run or after they have gone. */
@Tag("server")
class RestoreTest {
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final String TABLE = "t_restored_records";

    private final Postgres server = SharedServers.postgres();
    private final String url = SharedServers.inNamespace(server.url(), "restored");

    @Test
    void a_token_does_not_come_back_with_an_older_dump() throws InterruptedException {
        try (Stander first = Stander.at(url, TTL)) {
            first.awaitLeadership();
        }
        Path dump = server.dump(TABLE);
        long later;
        try (Stander second = Stander.at(url, TTL)) {
            later = second.awaitLeadership().token().value();
        }

        server.restore(dump);

        try (Stander knowsNothing = Stander.at(url, TTL)) {
            assertThat(knowsNothing.awaitLeadership().token().value()).isGreaterThan(later);
        }
    }

    @Test
    void a_leader_notices_that_its_term_is_not_in_the_dump_and_leads_again_with_a_newer_token()
            throws InterruptedException {
        try (Stander first = Stander.at(url, TTL)) {
            first.awaitLeadership();
        }
        Path dump = server.dump(TABLE);

        try (Stander leader = Stander.at(url, TTL)) {
            Leadership lost = leader.awaitLeadership();
            server.restore(dump);

            Leadership next = leader.awaitLeadership();

            Awaitility.await().atMost(Client.PATIENCE).until(() -> !lost.isValid());
            assertThat(next.token().value()).isGreaterThan(lost.token().value());
        }
    }
}
