// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static java.time.Duration.ofMinutes;

import dev.tenure.patterns.Cron.Body;
import dev.tenure.testing.FakeElections;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;

/** Nodes in virtual time, from 2026-01-01T00:00Z on, with the journal in H2 unless told otherwise. */
abstract class VirtualCron {
    static final String JOB = "books/close";

    final FakeElections elections = FakeElections.create();
    DataSource database = open();
    /** Every start of a body: its due time, and its attempt if that is not the first. */
    final List<String> runs = new ArrayList<>();

    /** Others have other databases. */
    DataSource open() {
        return Databases.h2();
    }

    @AfterEach
    void close() {
        elections.close();
    }

    Cron cron(String node) {
        return Cron.on(elections.node(node).tenure(), Journal.jdbc(database));
    }

    void start(String node, UnaryOperator<CronJob> described, Body body) {
        described
                .apply(cron(node).every(JOB, ofMinutes(1)))
                .fire(run -> {
                    runs.add(time(run.scheduledFor()) + (run.attempt() == 1 ? "" : "#" + run.attempt()));
                    body.run(run);
                })
                .start();
    }

    void startQuick(String node) {
        start(node, job -> job, run -> {});
    }

    CronJobs jobs() {
        return CronJobs.in(Journal.jdbc(database));
    }

    static String time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC).toLocalTime().toString();
    }

    List<String> journal() {
        return Databases.ask(database, "SELECT due, state, attempt FROM tenure_cron ORDER BY due").stream()
                .map(row -> time(Instant.ofEpochMilli(Long.parseLong(row.substring(0, row.indexOf(' ')))))
                        + row.substring(row.indexOf(' ')))
                .toList();
    }

    String leader() {
        return elections.leaderOf("cron/main").orElseThrow();
    }

    void advance(Duration duration) {
        elections.advance(duration);
    }

    /** Waits as work would, whatever becomes of the term. */
    void rest(CronRun run, Duration time) throws InterruptedException {
        elections.node(run.leadership().term().holder()).host().signal().await(time.toNanos());
    }

    void runsTake(Duration time, UnaryOperator<CronJob> described) {
        start("a", described, run -> rest(run, time));
    }
}
