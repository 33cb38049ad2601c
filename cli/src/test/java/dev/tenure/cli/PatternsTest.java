// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenure.Tenure;
import dev.tenure.cli.database.DatabaseUrl;
import dev.tenure.patterns.Cron;
import dev.tenure.patterns.CronJobs;
import dev.tenure.patterns.Journal;
import dev.tenure.patterns.Migration;
import dev.tenure.patterns.Schedule;
import dev.tenure.patterns.SqlStep;
import dev.tenure.sql.servers.Postgres;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code tenure cron} and {@code tenure migration} on a real PostgreSQL. */
@Tag("server")
class PatternsTest {
    private static Postgres server;

    @BeforeAll
    static void start() {
        server = Postgres.running();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String url() {
        return "postgresql://" + Postgres.USER + ":" + Postgres.PASSWORD + "@127.0.0.1:" + server.port() + "/postgres";
    }

    private static InProcess tenure(String... words) {
        return InProcess.run(Map.of("TENURE_URL", url()), words);
    }

    private static Journal journal() {
        return Journal.jdbc(DatabaseUrl.parse(url()).source());
    }

    @Test
    void jobs_are_listed_paused_resumed_and_run() throws Exception {
        assertThat(tenure("cron", "list").out()).contains("No jobs");
        CronJobs jobs = CronJobs.in(journal());
        try (Tenure client = Tenure.connect(url()).node("here").open();
                Cron cron = Cron.on(client, journal())) {
            cron.at("reports/daily", Schedule.cron("0 0 1 1 *", ZoneOffset.UTC))
                    .fire(run -> {})
                    .start();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> jobs.find("reports/daily").isPresent());

            assertThat(tenure("cron", "list").out()).contains("reports/daily", "0 0 1 1 * Z", "on time");
            InProcess paused = tenure("cron", "pause", "reports/daily", "--for", "2h", "--why", "stocktaking");
            assertThat(paused.code()).as(paused.toString()).isZero();
            assertThat(tenure("cron", "list").out()).contains("paused until", "stocktaking");
            assertThat(JsonText.object(
                            tenure("cron", "show", "reports/daily", "--json").out()))
                    .containsEntry("condition", "ON_TIME")
                    .containsKeys("paused", "runs");
            assertThat(tenure("cron", "resume", "reports/daily").code()).isZero();
            assertThat(tenure("cron", "list").out()).doesNotContain("paused");

            assertThat(tenure("cron", "run-now", "reports/daily").code()).isZero();
            // The leader looks within 30 s, and then the run takes its time.
            await().atMost(Duration.ofSeconds(60))
                    .until(() ->
                            tenure("cron", "history", "reports/daily").out().contains("DONE"));
            assertThat(tenure("cron", "history", "reports/daily").out()).contains("asked for by", "here");
        }
    }

    @Test
    void what_is_wrong_is_said() {
        List<InProcess> calls = Stream.of("cron", "cron lst", "cron list x", "cron show", "cron show nothing")
                .map(line -> tenure(line.split(" ")))
                .toList();
        assertThat(calls).allMatch(call -> call.code() == 64);
        assertThat(calls.get(1).err()).contains("list");
        assertThat(calls.get(4).err()).contains("there is no job 'nothing'");
        assertThat(tenure("migration").code()).isEqualTo(64);
        assertThat(Arrays.asList(InProcess.run("cron", "list").err().split("\n"))
                        .get(0))
                .contains("which database?");
    }

    @Test
    void steps_of_migrations_are_shown() throws Exception {
        try (Tenure client = Tenure.connect(url()).node("here").open()) {
            Migration.of(client, "billing", journal())
                    .step("1-table", SqlStep.script("CREATE TABLE invoice (id INT)"))
                    .run(Duration.ofMinutes(1));
            InProcess good = tenure("migration", "status");
            assertThat(good.code()).isZero();
            assertThat(good.out()).contains("billing", "1-table", "APPLIED", "here");

            Migration wrong = Migration.of(client, "billing", journal())
                    .step("2-wrong", SqlStep.script("ALTER TABLE nothing ADD x INT"));
            assertThatThrownBy(() -> wrong.run(Duration.ofMinutes(1))).hasMessageContaining("step 2-wrong has failed");
            InProcess bad = tenure("migration", "status", "--json");
            assertThat(bad.code()).isEqualTo(1);
            assertThat(bad.out()).contains("\"2-wrong\"", "\"FAILED\"", "statement 1");
        }
    }
}
