// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static dev.tenure.cli.SecretUrls.SECRET;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.sql.servers.MariaDb;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A password in a store URL is shown nowhere: not by a verb, a log or an event, and not to what {@code run} starts. */
@Tag("server")
@Timeout(120)
class SecretsTest {
    private static final int AT_ONCE = 24;
    /** What follows the URL of each verb that takes one. */
    private static final List<List<String>> VERBS = List.of(
            List.of("run", "--election", "e", "--wait", "200ms", "--", "true"),
            List.of("status"),
            List.of("status", "e", "--json"),
            List.of("watch"),
            List.of("watch", "e"),
            List.of("resign", "e"),
            List.of("era", "show"),
            List.of("era", "raise"),
            List.of("prune"),
            List.of("cron", "list"),
            List.of("cron", "pause", "j"),
            List.of("migration", "status", "--json"),
            List.of("fence", "install", "--table", "t", "--election", "e"),
            List.of("fence", "status"),
            List.of("fence", "raise", "--resource", "t"),
            List.of("fence", "uninstall", "--table", "t"));

    private static Postgres postgres;
    private static MariaDb mariaDb;
    private static ExecutorService pool;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        pool = Executors.newFixedThreadPool(AT_ONCE);
        postgres = Postgres.running();
        mariaDb = MariaDb.running();
    }

    @AfterAll
    static void stop() {
        pool.shutdownNow();
        mariaDb.close();
        postgres.close();
    }

    @Test
    void no_verb_shows_the_password_of_a_store_that_cannot_be_reached() throws Exception {
        assertThat(leaks(attempts(SecretUrls.unreachable()))).isEmpty();
    }

    @Test
    void no_verb_shows_the_password_in_a_url_that_cannot_work() throws Exception {
        assertThat(leaks(attempts(SecretUrls.malformed()))).isEmpty();
    }

    @Test
    void no_verb_shows_the_password_that_a_database_refuses() throws Exception {
        List<Attempt> attempts = new ArrayList<>(attempts(refusedByServers()));
        // Not more of these: H2 lets everybody wait for seconds after a few wrong passwords.
        attempts.add(new Attempt(refusedByH2(), List.of("status"), true));
        attempts.add(new Attempt(refusedByH2(), List.of("fence", "status"), true));

        assertThat(leaks(attempts)).isEmpty();
    }

    private String refusedByH2() throws SQLException {
        String h2 = "jdbc:h2:file:" + folder.resolve("h2");
        try (Connection created = DriverManager.getConnection(h2, "sa", "another")) {
            assertThat(created.isValid(1)).isTrue();
        }
        return h2 + ";USER=sa;PASSWORD=" + SECRET;
    }

    private static List<String> refusedByServers() {
        String here = "127.0.0.1:" + postgres.port() + "/postgres";
        String there = "127.0.0.1:" + mariaDb.port() + "/tenure";
        return List.of(
                "postgresql://tenure:" + SECRET + "@" + here,
                "postgresql+advisory://tenure:" + SECRET + "@" + here,
                "jdbc:postgresql://tenure:" + SECRET + "@" + here,
                "jdbc:postgresql://" + here + ";password=" + SECRET + "?user=tenure&password=" + SqlServer.PASSWORD,
                "jdbc:mariadb://tenure:" + SECRET + "@" + there,
                "jdbc:mariadb://" + there + "?user=tenure&password=" + SECRET);
    }

    private static List<Attempt> attempts(List<String> urls) {
        return urls.stream()
                .flatMap(url -> VERBS.stream()
                        .flatMap(verb -> Stream.of(new Attempt(url, verb, false), new Attempt(url, verb, true))))
                .toList();
    }

    /** Every call that shows the password, does not say what is wrong, or does not end. */
    private static List<String> leaks(List<Attempt> attempts) throws InterruptedException {
        List<Future<String>> answers = pool.invokeAll(attempts, 60, TimeUnit.SECONDS);
        List<String> leaks = new ArrayList<>();
        for (int i = 0; i < attempts.size(); i++) {
            try {
                leaks.add(answers.get(i).get());
            } catch (ExecutionException | CancellationException failure) {
                leaks.add(attempts.get(i) + " fails with " + failure);
            }
        }
        return leaks.stream().filter(leak -> !leak.isEmpty()).toList();
    }

    /** One call: the URL as an option, or in the environment and with stack traces. */
    private record Attempt(String url, List<String> verb, boolean debugging) implements Callable<String> {
        /** What it says, if that is no proper complaint. */
        @Override
        public String call() {
            Map<String, String> environment = debugging ? Map.of("TENURE_URL", url, "TENURE_DEBUG", "1") : Map.of();
            List<String> words = new ArrayList<>(verb);
            if (!debugging) {
                words.addAll(1, List.of("--url", url));
            }
            InProcess call = InProcess.run(environment, words.toArray(String[]::new));
            boolean told = call.code() > 0 && call.err().startsWith("tenure: ");
            return told && !call.toString().contains(SECRET) ? "" : this + " says " + call;
        }
    }

    @Test
    void a_url_in_the_wrong_place_is_not_repeated_either() {
        String url = "etcd://root:" + SECRET + "@host";
        List<InProcess> calls = List.of(
                InProcess.run(url),
                InProcess.run("status", "--ulr", url),
                InProcess.run("status", "--ulr=" + url),
                InProcess.run("resign", "e", url),
                InProcess.run("era", url),
                InProcess.run("fence", url),
                InProcess.run("fence", "app:" + SECRET + "@host"),
                InProcess.run("resign", "e", "--url", "nonsense", "--wait", url),
                InProcess.run("status", "--url", url, "--url", url));

        assertThat(calls)
                .allMatch(call -> call.code() == 64)
                .noneMatch(call -> call.toString().contains(SECRET));
    }

    @Test
    void no_event_exception_or_answer_of_the_library_shows_the_password() throws Exception {
        List<String> urls = new ArrayList<>(SecretUrls.unreachable());
        urls.addAll(SecretUrls.malformed());
        urls.addAll(refusedByServers());
        urls.add(refusedByH2());
        List<Callable<String>> calls =
                urls.stream().map(url -> (Callable<String>) () -> told(url)).toList();

        List<String> leaks = new ArrayList<>();
        for (Future<String> told : pool.invokeAll(calls)) {
            assertThat(told.get()).isNotEmpty();
            if (told.get().contains(SECRET)) {
                leaks.add(told.get());
            }
        }

        assertThat(leaks).isEmpty();
    }

    /** All that a program can learn and print of a store: with causes and stack traces. */
    private static String told(String url) throws InterruptedException {
        StringWriter told = new StringWriter();
        try (Tenure tenure = Tenure.connect(url)
                .ttl(Duration.ofSeconds(2))
                .acknowledgeBestEffort()
                .open()) {
            CompletableFuture<TenureEvent.StoreError> trouble = new CompletableFuture<>();
            tenure.onEvent(event -> {
                if (event instanceof TenureEvent.StoreError first) {
                    trouble.complete(first);
                }
            });
            told.write(tenure.traits().toString());
            var unused = tenure.elect("e").perform(leadership -> {});
            TenureEvent.StoreError first = trouble.get(30, TimeUnit.SECONDS);
            told.write(first.toString());
            first.cause().printStackTrace(new PrintWriter(told, true));
            tenure.leaderOf("e").toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (RuntimeException | ExecutionException | TimeoutException failure) {
            failure.printStackTrace(new PrintWriter(told, true));
        }
        return told.toString();
    }

    @Test
    void logs_with_all_details_do_not_show_the_password() {
        try (Cli cli = new Cli(folder)) {
            cli.with("TENURE_LOG", "all").with("TENURE_DEBUG", "1");
            List<Cli.Call> calls = Stream.concat(
                            SecretUrls.unreachable().stream().filter(url -> url.contains("app:")),
                            Stream.of("jdbc:postgresql://app:" + SECRET + "@127.0.0.1:port/db"))
                    .map(url -> cli.start("run", "--election", "e", "--wait", "500ms", "--url", url, "--", "true"))
                    .toList();

            calls.forEach(Cli.Call::exit);

            assertThat(calls)
                    .allSatisfy(
                            call -> assertThat(call.err()).contains("tenure: ").doesNotContain(SECRET));
            assertThat(calls).allSatisfy(call -> assertThat(call.out()).isEmpty());
        }
    }

    /** Nothing but a sleeping process is left of it when it says so. */
    private static final String SHOW_ENVIRONMENT = "sleep 1000 & env; echo shown; wait";

    @Test
    void neither_the_command_nor_its_guardian_is_given_the_password() {
        String url = "postgresql://tenure:" + SqlServer.PASSWORD + "@127.0.0.1:" + postgres.port() + "/postgres";
        try (Cli cli = new Cli(folder)) {
            cli.with("TENURE_LOG", "all").with("TENURE_DEBUG", "1");
            Cli.Call byOption = cli.start("run", "--election", "a", "--url", url, "--", "sh", "-c", SHOW_ENVIRONMENT);
            cli.with("TENURE_URL", url);
            Cli.Call byVariable = cli.start("run", "--election", "b", "--", "sh", "-c", SHOW_ENVIRONMENT);

            for (Cli.Call call : List.of(byOption, byVariable)) {
                call.awaitOut("shown");
                List<ProcessHandle> started = call.process().descendants().toList();

                assertThat(started)
                        .as("the guardian, the command and what it started")
                        .hasSizeGreaterThanOrEqualTo(2);
                assertThat(started)
                        .allSatisfy(one -> assertThat(visible(one.pid())).doesNotContain(SqlServer.PASSWORD));
                assertThat(call.out() + call.err()).contains("TENURE_TOKEN=").doesNotContain(SqlServer.PASSWORD);
            }
        }
    }

    /** What other processes of the user see of it. */
    private static String visible(long pid) {
        String seen = Cli.read(Path.of("/proc/" + pid + "/cmdline")) + Cli.read(Path.of("/proc/" + pid + "/environ"));
        assertThat(seen).isNotEmpty();
        return seen;
    }
}
