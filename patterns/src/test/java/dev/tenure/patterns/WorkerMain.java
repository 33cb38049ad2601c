// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.Tenure;
import dev.tenure.jdbc.JdbcOptions;
import dev.tenure.jdbc.JdbcStore;
import dev.tenure.patterns.Cron.Missed;
import dev.tenure.patterns.Cron.Overlap;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A process with jobs, or with migrations. Arguments: its name, the database, {@code cron} or {@code migrate}, and how many. On standard
 * input it is told when to die: {@code KILL-BEFORE 3}, say.
 */
final class WorkerMain {
    private static final Duration TTL = Duration.ofMillis(1500);

    private WorkerMain() {}

    public static void main(String[] words) throws Exception {
        DataSource plain = pool(words[1]);
        FaultySource faults = new FaultySource();
        DataSource faulty = faults.around(pool(words[1]));
        int count = Integer.parseInt(words[3]);
        Tenure tenure = Tenure.using(host -> JdbcStore.open(plain, JdbcOptions.standard(), host))
                .node(words[0])
                .ttl(TTL)
                .open();
        Journal journal = Journal.jdbc(faulty);
        if (words[2].equals("cron")) {
            cron(tenure, journal, plain, count);
        } else {
            Thread migrations = new Thread(() -> migrate(tenure, journal, plain, count), "migrations");
            migrations.setDaemon(true);
            migrations.start();
        }
        System.out.println("READY");
        obey(faults);
        tenure.close();
        System.exit(0);
    }

    private static DataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    private static void obey(FaultySource faults) throws Exception {
        BufferedReader told = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = told.readLine(); line != null && !line.equals("QUIT"); line = told.readLine()) {
            String[] fault = line.split(" ");
            faults.arm(fault[0], Integer.parseInt(fault[1])); // none comes after 0 calls
        }
    }

    /** Half of the jobs start at most once, the others again when their leader died. */
    private static void cron(Tenure tenure, Journal journal, DataSource effects, int jobs) {
        Cron cron = Cron.on(tenure, journal);
        for (int i = 0; i < jobs; i++) {
            boolean again = i % 2 == 1;
            cron.every((again ? "again-" : "once-") + i, Duration.ofSeconds(1))
                    .missed(Missed.RUN_ALL)
                    .overlap(Overlap.WAIT)
                    .retry(again ? 1000 : 0, Duration.ZERO)
                    .fire(run -> Databases.execute(
                            effects,
                            "INSERT INTO effect (what, due) VALUES ('" + run.job() + "', "
                                    + run.scheduledFor().toEpochMilli() + ")"));
        }
        cron.start();
    }

    private static void migrate(Tenure tenure, Journal journal, DataSource effects, int migrations) {
        try {
            boolean postgres = journal.product() == Journal.Product.POSTGRESQL;
            for (int i = 0; i < migrations; i++) {
                String name = "m" + i;
                String effect = "INSERT INTO effect (what, due) VALUES ('" + name;
                int applied = Migration.of(tenure, name, journal)
                        .step(
                                "1-table",
                                SqlStep.script("CREATE TABLE t_" + name + " (id INT)")
                                        .undoIfBroken("DROP TABLE IF EXISTS t_" + name))
                        .step("2-rows", SqlStep.script(effect + "-rows', 1)", effect + "-rows', 2)"))
                        .step(
                                "3-index",
                                SqlStep.outside("CREATE INDEX " + (postgres ? "CONCURRENTLY " : "") + "i_" + name
                                                + " ON t_" + name + " (id)")
                                        .undoIfBroken(
                                                "DROP INDEX IF EXISTS i_" + name + (postgres ? "" : " ON t_" + name)))
                        .step("4-code", leadership -> {
                            Databases.execute(effects, effect + "-code', 1)");
                            leadership.rest(Duration.ofMillis(300)); // else all are done before anything can go wrong
                        })
                        .step("5-last", SqlStep.script(effect + "-last', 1)"))
                        .run(Duration.ofMinutes(5));
                System.out.println("DONE " + name + " " + applied);
            }
            System.out.println("ALL");
        } catch (Exception failure) {
            System.out.println("DONE failed " + failure);
        }
    }
}
