// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.sql.servers.Postgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tenure fence} on a real PostgreSQL. */
@Tag("server")
class FenceTest {
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

    private static InProcess fence(String... words) {
        String[] all = new String[words.length + 1];
        all[0] = "fence";
        System.arraycopy(words, 0, all, 1, words.length);
        return InProcess.run(Map.of("TENURE_URL", url()), all);
    }

    @Test
    void a_table_is_fenced_looked_at_raised_and_set_free() throws SQLException {
        server.execute("CREATE TABLE book (id INT PRIMARY KEY)");

        InProcess installed = fence("install", "--table", "book", "--election", "ledger/close-day");
        assertThat(installed.code()).as(installed.toString()).isZero();
        assertThat(installed.out()).contains("only the leader of ledger/close-day can write to book");
        assertThat(refusal("INSERT INTO book VALUES (1)")).contains("lets no INSERT on book pass without a token");

        write("7", "INSERT INTO book VALUES (1)");
        InProcess status = fence("status");
        assertThat(status.code()).as(status.toString()).isZero();
        assertThat(status.out()).contains("RESOURCE", "ledger/close-day", " 7 ", "note  book: its owner tenure");

        InProcess raised = fence("raise", "--resource", "book", "--token", "9", "--json");
        assertThat(JsonText.object(raised.out())).containsEntry("token", "9");
        assertThat(refusal(presented("7"), "INSERT INTO book VALUES (2)")).contains("has seen token 9");

        InProcess back = fence("raise", "--resource", "book", "--token", "8");
        assertThat(back.code()).isEqualTo(64);
        assertThat(back.err()).contains("never goes back");

        assertThat(fence("uninstall", "--table", "book").code()).isZero();
        server.execute("INSERT INTO book VALUES (3)");
    }

    @Test
    void a_run_tells_the_grade_that_the_database_has_shown(@TempDir Path folder) {
        try (Cli cli = new Cli(folder)) {
            Cli.Call run = cli.start("run", "--election", "graded", "--url", url(), "--", "true");

            run.mustExit(0);

            assertThat(run.err()).contains("grade C: a failover to a standby");
        }
    }

    @Test
    void the_status_exits_1_when_something_is_open_and_says_so_in_json() {
        server.execute("CREATE TABLE leaky (id INT PRIMARY KEY)");
        fence("install", "--table", "leaky", "--election", "leaky", "--resource", "cask");
        server.execute("ALTER TABLE leaky DISABLE TRIGGER ALL");

        InProcess status = fence("status", "--json");

        assertThat(status.code()).isEqualTo(1);
        assertThat(status.out()).contains("\"resource\":\"cask\"", "is disabled: every write passes");
        assertThat(fence("status").out()).contains("OPEN  leaky: trigger tenure_fence on leaky is disabled");
        fence("install", "--table", "leaky", "--election", "leaky", "--resource", "cask");
        assertThat(fence("status").out()).doesNotContain("OPEN  leaky");
    }

    @Test
    void wrong_usage_is_explained() {
        List<InProcess> calls = List.of(
                fence(),
                fence("instal"),
                fence("install", "--election", "e"),
                fence("install", "--table", "book"),
                fence("install", "--table", "nowhere", "--election", "e"),
                fence("status", "--table", "book"),
                fence("raise", "--resource", "nothing"),
                InProcess.run("fence", "status", "--url", "local:"),
                InProcess.run("fence", "status"));

        assertThat(calls).allMatch(call -> call.code() == 64 && call.out().isEmpty());
        assertThat(calls.get(1).err()).contains("install");
        assertThat(calls.get(2).err()).contains("--table is missing");
        assertThat(calls.get(4).err()).contains("no table nowhere");
        assertThat(calls.get(5).err()).contains("--table does not go with tenure fence status");
        assertThat(calls.get(6).err()).contains("no fence of nothing");
        assertThat(calls.get(7).err()).contains("fences and journals are in a database");
    }

    @Test
    void a_database_that_refuses_is_told_of_without_the_password() {
        String secret = "hunter2hunter2";
        InProcess call = InProcess.run(
                "fence",
                "status",
                "--url",
                "postgresql://tenure:" + secret + "@127.0.0.1:" + server.port() + "/tenure");

        assertThat(call.code()).as("as with every other verb").isEqualTo(64);
        assertThat(call.err())
                .contains("refuses the user or the password", "password authentication failed")
                .doesNotContain(secret);
    }

    @Test
    void a_server_that_hangs_is_given_up_in_time() {
        try (Postgres hangs = Postgres.running()) {
            String url = "postgresql://" + Postgres.USER + ":" + Postgres.PASSWORD + "@127.0.0.1:" + hangs.port();
            hangs.freeze();

            InProcess call = InProcess.run("fence", "status", "--url", url + "/postgres?tenure.timeout=1s");

            hangs.goOn();
            assertThat(call.code()).as(call.toString()).isEqualTo(69);
            assertThat(call.err()).contains("does not answer");
        }
    }

    @Test
    void the_url_of_advisory_locks_names_a_database_too() {
        InProcess call =
                InProcess.run("fence", "status", "--url", url().replace("postgresql:", "postgresql+advisory:"));

        assertThat(call.code()).as(call.toString()).isLessThanOrEqualTo(1);
    }

    private static String presented(String token) {
        return "SELECT tenure_present('book', 'ledger/close-day', " + token + ", '" + "ab".repeat(16) + "')";
    }

    private static void write(String token, String statement) throws SQLException {
        try (Connection connection = server.connect();
                Statement sql = connection.createStatement()) {
            connection.setAutoCommit(false);
            sql.execute(presented(token));
            sql.execute(statement);
            connection.commit();
        }
    }

    /** All in one transaction. */
    private static String refusal(String... statements) {
        try (Connection connection = server.connect();
                Statement sql = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (String statement : statements) {
                sql.execute(statement);
            }
        } catch (SQLException refused) {
            return refused.getMessage();
        }
        throw new AssertionError("this should have been refused: " + String.join("; ", statements));
    }
}
