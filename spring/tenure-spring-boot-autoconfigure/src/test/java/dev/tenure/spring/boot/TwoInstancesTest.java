// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Leadership;
import dev.tenure.TenureEvent;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.patterns.CronRun;
import dev.tenure.spring.FencedScheduled;
import dev.tenure.spring.FencedTransactional;
import dev.tenure.spring.LeaderDuty;
import dev.tenure.spring.LeaderOnly;
import dev.tenure.sql.servers.Postgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** Two instances of one application on one PostgreSQL, which elects them and has their ledger. The tests follow each other. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("server")
class TwoInstancesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static Postgres server;

    private static ConfigurableApplicationContext leader;
    private static ConfigurableApplicationContext standby;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({Sweeper.class, Ledger.class, Gate.class})
    static class Application {
        @Bean
        FencedSql ledger(DataSource source) {
            return FencedSql.guarding(source, "ledger");
        }

        @Bean
        ThreadPoolTaskExecutor workers() {
            return new ThreadPoolTaskExecutor();
        }

        @Bean
        Journal journal() {
            return new Journal(new CopyOnWriteArrayList<>());
        }
    }

    /** What happened, in order. */
    record Journal(List<String> entries) implements DisposableBean {
        @EventListener
        void on(TenureEvent event) {
            entries.add(event.getClass().getSimpleName());
        }

        @Override
        public void destroy() {
            entries.add("beans destroyed");
        }
    }

    static class Ledger {
        private final JdbcTemplate jdbc;

        Ledger(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @FencedTransactional("ledger")
        public void append(String line) {
            jdbc.update("INSERT INTO book (line) VALUES (?)", line);
        }
    }

    static class Sweeper {
        private final Ledger ledger;
        private final Journal journal;
        private final ThreadPoolTaskExecutor workers;

        Sweeper(Ledger ledger, Journal journal, ThreadPoolTaskExecutor workers) {
            this.ledger = ledger;
            this.journal = journal;
            this.workers = workers;
        }

        /** Needs the database and an executor to the very end. */
        @LeaderDuty(election = "billing/sweeper", fencedBy = "ledger")
        void sweep(Leadership leadership) throws Exception {
            while (leadership.isActive()) {
                ledger.append("sweep");
                try {
                    leadership.rest(Duration.ofMillis(200));
                } catch (InterruptedException ended) {
                    break;
                }
            }
            Thread.interrupted();
            workers.submit(() -> journal.entries.add("last work")).get();
        }

        @FencedScheduled(every = "1s", job = "tick")
        void tick(CronRun run) throws Exception {
            run.write(connection ->
                    connection.createStatement().execute("INSERT INTO ticks VALUES ('" + run.scheduledFor() + "')"));
        }
    }

    static class Gate {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch leave = new CountDownLatch(1);

        @LeaderOnly("gated")
        public void pass() throws InterruptedException {
            entered.countDown();
            leave.await();
        }

        public CountDownLatch entered() {
            return entered;
        }

        public CountDownLatch leave() {
            return leave;
        }
    }

    @BeforeAll
    static void startBoth() {
        server = Postgres.running();
        server.execute("CREATE TABLE book (line TEXT)", "CREATE TABLE ticks (due TEXT)");
        leader = start("a");
        await().atMost(PATIENCE).until(() -> leads(leader, "billing/sweeper") && leads(leader, "gated"));
        standby = start("b");
    }

    @AfterAll
    static void stopBoth() {
        Stream.of(leader, standby).filter(Objects::nonNull).forEach(ConfigurableApplicationContext::close);
        server.close();
    }

    private static ConfigurableApplicationContext start(String node) {
        return new SpringApplication(Application.class)
                .run(
                        "--spring.application.name=two-instances",
                        "--spring.datasource.url=" + server.plainUrl(Postgres.DATABASE),
                        "--spring.datasource.username=" + Postgres.USER,
                        "--spring.datasource.password=" + Postgres.PASSWORD,
                        "--tenure.url=datasource",
                        "--tenure.ttl=10s",
                        "--tenure.node=" + node,
                        "--tenure.leader-group=billing/sweeper",
                        "--server.port=0",
                        "--management.endpoints.web.exposure.include=*",
                        "--management.endpoint.health.show-details=always",
                        "--spring.jmx.enabled=false",
                        "--spring.main.banner-mode=off",
                        "--logging.level.root=warn");
    }

    private static boolean leads(ConfigurableApplicationContext context, String election) {
        return context.getBean(dev.tenure.spring.TenureTemplate.class).isLeading(election);
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext context, String path) {
        URI uri = URI.create("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + path);
        try {
            return HTTP.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private static double metric(ConfigurableApplicationContext context, String name) {
        String body = get(context, "/actuator/metrics/" + name).body();
        return Double.parseDouble(body.replaceAll("(?s).*\"value\":([0-9.E-]+).*", "$1"));
    }

    @Test
    @Order(1)
    void health_meters_and_endpoint_tell_the_truth_on_leader_and_standby() {
        assertThat(get(leader, "/actuator/health").statusCode()).isEqualTo(200);
        assertThat(get(leader, "/actuator/health/tenure").body())
                .contains("\"status\":\"UP\"", "\"standing\":\"leading\"", "\"token\":\"");
        assertThat(get(leader, "/actuator/health/leader").statusCode()).isEqualTo(200);
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(get(standby, "/actuator/health/tenure").body())
                                .contains("\"status\":\"UP\"", "\"standing\":\"standby\""));
        assertThat(get(standby, "/actuator/health").statusCode()).isEqualTo(200);
        assertThat(get(standby, "/actuator/health").body()).startsWith("{").contains("\"status\":\"UP\"");
        assertThat(get(standby, "/actuator/health/leader").statusCode()).isEqualTo(503);
        assertThat(get(standby, "/actuator/health/readiness").body()).doesNotContain("STANDBY");

        assertThat(get(leader, "/actuator/tenure").body())
                .contains("\"node\":\"a\"", "\"billing/sweeper\"", "Elected[", "\"losses\":[]", "jdbc:postgresql:");
        assertThat(get(leader, "/actuator/info").body()).contains("\"node\":\"a\"");
        assertThat(metric(leader, "tenure.leading?tag=election:billing/sweeper"))
                .isEqualTo(1);
        assertThat(metric(standby, "tenure.leading?tag=election:billing/sweeper"))
                .isZero();
        assertThat(metric(leader, "tenure.terms?tag=election:billing/sweeper")).isEqualTo(1);
    }

    @Test
    @Order(4)
    void an_instance_that_is_closed_drains_with_all_it_needs_and_then_the_other_leads() {
        Journal journal = leader.getBean(Journal.class);

        leader.close();

        assertThat(journal.entries)
                .containsSubsequence("Elected", "last work", "Lost", "Retired", "beans destroyed")
                .doesNotContain("StoreError");
        await().atMost(PATIENCE).until(() -> leads(standby, "billing/sweeper"));
        assertThat(get(standby, "/actuator/health/leader").statusCode()).isEqualTo(200);
    }

    @Test
    @Order(3)
    void a_call_inside_the_gate_ends_before_the_claim_is_released() throws Exception {
        Gate gate = leader.getBean(Gate.class);
        CompletableFuture<Void> call = CompletableFuture.runAsync(() -> {
            try {
                gate.pass();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        });
        gate.entered().await();
        await().atMost(PATIENCE).until(() -> leaderOf("gated").equals("a"));

        standby.getBean(dev.tenure.Tenure.class)
                .askToResign("gated")
                .toCompletableFuture()
                .join();
        await().atMost(PATIENCE)
                .until(() -> leader.getBean(Journal.class).entries.contains("DrainBegan"));

        assertThat(leads(leader, "gated")).as("a new call is let in").isFalse();
        assertThat(leaderOf("gated")).as("the claim is kept").isEqualTo("a");
        assertThat(leader.getBean(Journal.class).entries).doesNotContain("Lost");
        gate.leave().countDown();
        call.join();
        await().atMost(PATIENCE)
                .until(() -> leader.getBean(Journal.class).entries.contains("Lost"));
    }

    private static String leaderOf(String election) {
        return standby.getBean(dev.tenure.Tenure.class)
                .leaderOf(election)
                .toCompletableFuture()
                .join()
                .map(one -> one.node())
                .orElse("");
    }

    @Test
    @Order(2)
    void a_job_runs_on_one_instance_and_each_due_time_once() {
        String before = server.ask("SELECT COUNT(*) FROM ticks");

        await().atMost(PATIENCE)
                .until(() ->
                        Integer.parseInt(server.ask("SELECT COUNT(*) FROM ticks")) >= Integer.parseInt(before) + 3);

        assertThat(server.ask("SELECT COUNT(*) - COUNT(DISTINCT due) FROM ticks"))
                .isEqualTo("0");
    }
}
