// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.sql.servers.Postgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/fencing.md tells a reader to do in two minutes, with its own script and a real {@code psql}. */
@Tag("server")
class FencingGuideTest {
    private static final Path PAGE = Path.of("../docs/fencing.md");

    @Test
    void the_insert_of_a_leader_that_was_paused_is_refused_by_the_database(@TempDir Path folder) throws Exception {
        try (Postgres server = Postgres.running();
                Cli cli = new Cli(folder)) {
            server.execute("CREATE TABLE book (id BIGSERIAL PRIMARY KEY, line TEXT)");
            Files.writeString(folder.resolve("writer.sh"), writer());
            String url = "postgresql://" + Postgres.USER + ":" + Postgres.PASSWORD + "@127.0.0.1:" + server.port()
                    + "/postgres";
            Postgres.forClients().forEach(cli::with);
            cli.with("DB", url).with("TENURE_URL", url);
            cli.run("fence", "install", "--table", "book", "--resource", "ledger", "--election", "ledger/close-day")
                    .mustExit(0);

            Cli.Call paused = stand(cli, "a").awaitOut("wake its writer:");
            Cli.Call next = stand(cli, "b").awaitErr("waiting; a leads");
            run(told("stop all of it:", paused));
            next.awaitOut("b leads");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> !lines("b", server).equals("0"));
            String before = lines("a", server);
            run(told("wake its writer:", paused));

            paused.awaitOut("a was refused");
            assertThat(paused.err()).contains("the fence of ledger has seen token", "this INSERT on book shows token");
            assertThat(lines("a", server)).isEqualTo(before);
        }
    }

    private static String lines(String holder, Postgres server) {
        return server.ask("SELECT count(*) FROM book WHERE line = '" + holder + "'");
    }

    private static Cli.Call stand(Cli cli, String id) {
        return cli.start(
                "run",
                "--election",
                "ledger/close-day",
                "--id",
                id,
                "--ttl",
                "4s",
                "--grace",
                "500ms",
                "--",
                "sh",
                "writer.sh");
    }

    private static String writer() throws IOException {
        String page = Files.readString(PAGE);
        String begin = "cat > writer.sh <<'END'\n";
        int from = page.indexOf(begin) + begin.length();
        return page.substring(from, page.indexOf("\nEND\n", from) + 1);
    }

    private static String told(String what, Cli.Call call) {
        return call.out()
                .lines()
                .filter(line -> line.startsWith(what))
                .map(line -> line.substring(what.length()))
                .findFirst()
                .orElseThrow();
    }

    private static void run(String command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor())
                .as(command)
                .isZero();
    }
}
