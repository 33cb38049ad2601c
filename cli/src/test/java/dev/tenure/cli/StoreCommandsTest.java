// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Tenure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The verbs that ask, against a store with a leader in this JVM. */
@Timeout(60)
class StoreCommandsTest {
    private static final Duration TTL = Duration.ofSeconds(2);

    @TempDir
    Path dir;

    private String url() {
        return "local:" + dir.resolve("store");
    }

    private Tenure leader(String node) {
        return Tenure.connect(url()).node(node).ttl(TTL).open();
    }

    private static Candidacy lead(Tenure tenure, String election) throws InterruptedException {
        Candidacy candidacy =
                tenure.elect(election).metadata("address", "10.0.0.7").perform(StoreCommandsTest::untilLost);
        assertThat(candidacy.awaitLeading(Duration.ofSeconds(20))).isTrue();
        return candidacy;
    }

    private static void untilLost(Leadership leadership) throws InterruptedException {
        while (leadership.isActive()) {
            leadership.rest(Duration.ofSeconds(1));
        }
    }

    @Test
    void a_driver_does_not_log_beside_the_sentence() {
        try (Cli cli = new Cli(dir)) {
            Cli.Call call = cli.run("status", "--url", "postgresql://localhost:99999/x");

            call.mustExit(64);
            assertThat(call.err()).startsWith("tenure: ").hasLineCount(1);
        }
    }

    @Test
    void a_store_without_elections_is_friendly() {
        InProcess status = InProcess.run("status", "--url", url());

        assertThat(status.code()).isZero();
        assertThat(status.out()).contains("grade A, scope user", "No elections yet", "tenure run --election hello");
        assertThat(JsonText.object(
                        InProcess.run("status", "--url", url(), "--json").out()))
                .containsEntry("elections", List.of());
    }

    @Test
    void status_shows_the_leader_its_token_and_what_the_store_promises() throws Exception {
        try (Tenure tenure = leader("node-7")) {
            Candidacy candidacy = lead(tenure, "billing/sweeper");
            String token = candidacy.term().orElseThrow().token().toString();

            InProcess table = InProcess.run("status", "--url", url());
            InProcess json = InProcess.run("status", "billing/sweeper", "--url", url(), "--json");

            assertThat(table.code()).isZero();
            assertThat(table.out().lines().toList().get(2)).startsWith("billing/sweeper  node-7  " + token + "  ");
            Map<String, Object> status = JsonText.object(json.out());
            assertThat(status)
                    .containsEntry("store", url())
                    .containsEntry("grade", "A")
                    .containsEntry("scope", "user");
            Map<String, Object> election =
                    JsonText.list(status.get("elections")).get(0);
            assertThat(election).containsEntry("election", "billing/sweeper");
            Map<String, Object> shown = JsonText.map(election.get("leader"));
            assertThat(shown)
                    .containsEntry("node", "node-7")
                    .containsEntry("token", token)
                    .containsEntry("metadata", Map.of("address", "10.0.0.7"));
            assertThat(Instant.parse((String) shown.get("since")))
                    .isBefore(Instant.now().plusSeconds(1));
        }
    }

    @Test
    void status_of_a_named_election_without_a_leader_exits_1() throws Exception {
        try (Tenure tenure = leader("a")) {
            Candidacy candidacy = lead(tenure, "led");
            assertThat(InProcess.run("status", "led", "--url", url()).code()).isZero();
            assertThat(InProcess.run("status", "led", "never", "--url", url()).code())
                    .isEqualTo(1);

            candidacy.close();

            InProcess vacant = InProcess.run("status", "led", "--url", url());
            assertThat(vacant.code()).isEqualTo(1);
            assertThat(vacant.out().lines().toList().get(2)).startsWith("led       —       —      —");
            assertThat(InProcess.run("status", "--url", url()).code()).isZero();
        }
    }

    @Test
    void resign_waits_until_the_leader_has_stepped_down() throws Exception {
        try (Tenure tenure = leader("node-7")) {
            Candidacy candidacy = lead(tenure, "hello");
            String token = candidacy.term().orElseThrow().token().toString();

            InProcess resign = InProcess.run("resign", "hello", "--url", url(), "--json");

            assertThat(resign.code()).isZero();
            Map<String, Object> result = JsonText.object(resign.out());
            assertThat(JsonText.map(result.get("resigned"))).containsEntry("token", token);
            // Its duty has ended, or it would not have let go; the handle hears of that a moment after the store.
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> !candidacy
                            .term()
                            .map(term -> term.token().toString())
                            .equals(Optional.of(token)));
        }
        InProcess again = InProcess.run("resign", "hello", "--url", url());
        assertThat(again).isEqualTo(new InProcess(1, "", "tenure: nobody leads hello\n"));
    }

    @Test
    void the_environment_names_the_store_and_the_flag_goes_before_it() {
        Map<String, String> environment = Map.of("TENURE_URL", url());

        assertThat(InProcess.run(environment, "status").out()).startsWith(url());
        assertThat(InProcess.run(environment, "status", "--url", "local:" + dir.resolve("other"))
                        .out())
                .startsWith("local:" + dir.resolve("other"));
    }

    @Test
    void the_era_is_shown_and_raised() {
        Map<String, Object> before = JsonText.object(
                InProcess.run("era", "show", "--url", url(), "--json").out());
        InProcess raise = InProcess.run("era", "raise", "--url", url());
        Map<String, Object> after = JsonText.object(
                InProcess.run("era", "show", "--url", url(), "--json").out());

        assertThat(before).containsEntry("era", "0");
        assertThat(raise.out()).startsWith("raised to era 1 of store ");
        assertThat(after).containsEntry("era", "1").containsEntry("storeId", before.get("storeId"));
    }

    @Test
    void a_damaged_record_is_65_and_is_not_touched() throws Exception {
        try (Tenure tenure = leader("a")) {
            lead(tenure, "hello");
        }
        List<Path> records = damage(dir.resolve("store"));

        InProcess status = InProcess.run("status", "hello", "--url", url());

        assertThat(status.code()).isEqualTo(65);
        assertThat(status.out()).isEmpty();
        assertThat(status.err()).contains("damaged or not Tenure's").hasLineCount(1);
        assertThat(InProcess.run("status", "--url", url()).code()).isEqualTo(65);
        assertThat(InProcess.run("watch", "hello", "--url", url()).code()).isEqualTo(65);
        assertThat(InProcess.run("resign", "hello", "--url", url()).code()).isEqualTo(65);
        assertThat(records).allSatisfy(record -> assertThat(record).hasContent("not a record"));
    }

    /** Every claim record of the store. */
    static List<Path> damage(Path store) throws IOException {
        try (Stream<Path> all = Files.list(store.resolve("values"))) {
            List<Path> records = all.filter(
                            path -> path.getFileName().toString().startsWith("c-"))
                    .toList();
            assertThat(records).isNotEmpty();
            for (Path record : records) {
                Files.writeString(record, "not a record");
            }
            return records;
        }
    }
}
