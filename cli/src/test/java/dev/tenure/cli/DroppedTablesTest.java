// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.sql.servers.Postgres;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings that have worked are not taken for wrong because of what somebody does to the store later. */
@Tag("server")
class DroppedTablesTest {
    @Test
    void a_run_whose_tables_are_dropped_under_it_leads_again(@TempDir Path folder) {
        try (Postgres server = Postgres.running();
                Cli cli = new Cli(folder)) {
            String place = Postgres.USER + ":" + Postgres.PASSWORD + "@127.0.0.1:" + server.port() + "/postgres";
            cli.with("TENURE_URL", "postgresql+advisory://" + place);
            Cli.Call run =
                    cli.start("run", "--election", "e", "--ttl", "3s", "--grace", "300ms", "--", "sleep", "1000");
            run.awaitErr("leading e with token");

            server.execute("DROP TABLE tenure_epochs, tenure_epoch_store");

            await().atMost(Duration.ofSeconds(60)).until(() -> terms(run) == 2);
            assertThat(run.process().isAlive()).isTrue();
        }
    }

    private static long terms(Cli.Call run) {
        return run.err()
                .lines()
                .filter(line -> line.contains("leading e with token"))
                .count();
    }
}
